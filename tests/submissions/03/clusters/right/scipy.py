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


def choose_k(embeddings, choices):
    from sklearn.metrics import silhouette_score

    scores = [silhouette_score(embeddings, cluster(embeddings, k)) for k in choices]
    return choices[int(np.argmax(scores))]


def typical_rows(embeddings, labels):
    found = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        center = embeddings[members].mean(axis=0)
        found.append(members[np.argmin(np.linalg.norm(embeddings[members] - center, axis=1))])
    return np.array(found)
