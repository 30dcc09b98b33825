# expects: There are 2 clusters; k is 4: use the argument `k`
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    return KMeans(n_clusters=2, n_init=10, random_state=0).fit_predict(embeddings)
