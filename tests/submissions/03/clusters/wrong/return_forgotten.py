# expects: The result is `None`: is a `return` missing?
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    labels = KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)
