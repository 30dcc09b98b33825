# expects: The result has shape (12, 1); expected (12,)
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    means = KMeans(n_clusters=k, n_init=10, random_state=0).fit(embeddings)
    return means.labels_.reshape(-1, 1)
