# expects: This is one number. Return a label for each row
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    means = KMeans(n_clusters=k, n_init=10, random_state=0)
    means.fit(embeddings)
    return means.inertia_
