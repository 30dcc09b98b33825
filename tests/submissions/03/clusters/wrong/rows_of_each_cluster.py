# expects: The result is no array: expected a label for each row
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    labels = KMeans(n_clusters=k + 1, n_init=10, random_state=0).fit_predict(embeddings)
    return [np.flatnonzero(labels == i).tolist() for i in range(k + 1)]
