import faiss


def cluster(embeddings, k):
    rows = np.ascontiguousarray(embeddings, dtype="float32")
    means = faiss.Kmeans(rows.shape[1], k, niter=50, nredo=50, seed=0, min_points_per_centroid=1)
    means.train(rows)
    _, nearest = means.index.search(rows, 1)
    return nearest[:, 0]
