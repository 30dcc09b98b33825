# expects: The rows are divided by their order, and not by their embeddings
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    return sorted(KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings))
