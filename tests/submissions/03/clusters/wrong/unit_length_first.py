# expects: The rows are brought to unit length first
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize


def cluster(embeddings, k):
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(normalize(embeddings))
