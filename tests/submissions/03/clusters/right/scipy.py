from scipy.cluster.vq import kmeans2


def cluster(embeddings, k):
    rng = np.random.default_rng(0)
    best = None
    for _ in range(100):
        start = embeddings[rng.choice(len(embeddings), k, replace=False)]
        centres, labels = kmeans2(embeddings, start, iter=50, minit="matrix")
        cost = np.sum((embeddings - centres[labels]) ** 2)
        if best is None or cost < best[0]:
            best = cost, labels
    return best[1]
