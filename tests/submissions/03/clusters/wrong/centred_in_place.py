# expects: Your code changes the embeddings that were handed in
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    embeddings -= embeddings.mean(axis=0)
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)
