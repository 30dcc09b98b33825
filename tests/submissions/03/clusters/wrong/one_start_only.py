# expects: K-means stops at these groups, but they are not the best
def cluster(embeddings, k):
    from sklearn.cluster import KMeans

    return KMeans(n_clusters=k, init="random", n_init=1, random_state=0).fit(embeddings).labels_


def choose_k(embeddings, choices):
    from sklearn.metrics import silhouette_score

    return max(choices, key=lambda k: silhouette_score(embeddings, cluster(embeddings, k)))


def typical_rows(embeddings, labels):
    result = []
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        center = embeddings[rows].mean(axis=0)
        result.append(int(rows[np.argmin(np.linalg.norm(embeddings[rows] - center, axis=1))]))
    return result
