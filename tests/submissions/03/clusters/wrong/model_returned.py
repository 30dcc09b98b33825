# expects: This is the `KMeans` itself. Return its labels
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit(embeddings)
