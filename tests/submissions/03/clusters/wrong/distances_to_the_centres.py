# expects: These are the distances to the centres
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_transform(embeddings)
