from sklearn.cluster import KMeans


class Topics:
    def __init__(self, k):
        self.means = KMeans(n_clusters=k, n_init=20, random_state=1)

    def names(self, rows):
        return [f"topic {label}" for label in self.means.fit_predict(rows)]


def cluster(embeddings, k):
    return Topics(k).names(embeddings)


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
