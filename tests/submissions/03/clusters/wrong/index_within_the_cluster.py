# expects: These are positions inside the clusters. Return indices of `embeddings`: `np.flatnonzero(l
# typical_rows returns the position among the cluster's own rows instead of the index in all embeddings; shown by any cluster whose rows aren't the first ones.
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score


def cluster(embeddings, k):
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)


def choose_k(embeddings, choices):
    scores = [silhouette_score(embeddings, cluster(embeddings, k)) for k in choices]
    return choices[int(np.argmax(scores))]


def typical_rows(embeddings, labels):
    typical = []
    for label in np.unique(labels):
        rows = embeddings[labels == label]
        distances = np.linalg.norm(rows - rows.mean(axis=0), axis=1)
        typical.append(int(np.argmin(distances)))
    return np.array(typical)
