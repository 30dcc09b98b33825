# expects: These are the centres of the clusters
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    means = KMeans(n_clusters=k, n_init=10, random_state=0).fit(embeddings)
    return means.cluster_centers_
