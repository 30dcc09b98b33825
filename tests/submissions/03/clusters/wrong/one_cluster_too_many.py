# expects: There are 3 clusters; k is 2: use the argument `k`
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    return KMeans(n_clusters=k + 1, n_init=10, random_state=0).fit(embeddings).labels_
