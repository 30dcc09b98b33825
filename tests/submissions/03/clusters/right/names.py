from sklearn.cluster import KMeans


class Topics:
    def __init__(self, k):
        self.means = KMeans(n_clusters=k, n_init=20, random_state=1)

    def names(self, rows):
        return [f"topic {label}" for label in self.means.fit_predict(rows)]


def cluster(embeddings, k):
    return Topics(k).names(embeddings)
