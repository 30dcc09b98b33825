# expects: There are 8 clusters; k is 2: use the argument `k`
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    return KMeans(n_init=10, random_state=0).fit_predict(embeddings)
