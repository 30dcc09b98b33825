# expects: Your code stopped with `SystemExit`
import sys

from sklearn.cluster import KMeans


def cluster(embeddings, k):
    labels = KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)
    sys.exit(0)
    return labels
