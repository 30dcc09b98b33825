import faiss


def cluster(embeddings, k):
    rows = np.ascontiguousarray(embeddings, dtype="float32")
    means = faiss.Kmeans(rows.shape[1], k, niter=50, nredo=50, seed=0, min_points_per_centroid=1)
    means.train(rows)
    _, nearest = means.index.search(rows, 1)
    return nearest[:, 0]


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
