# expects: These are positions inside the clusters. Return indices of `embeddings`: `np.flatnonzero(l
# typical_rows returns positions within each cluster, not indices of the whole array; it shows for almost any labels with more than one cluster
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score


def cluster(embeddings, k):
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)


def choose_k(embeddings, choices):
    return max(choices, key=lambda k: silhouette_score(embeddings, cluster(embeddings, k)))


def typical_rows(embeddings, labels):
    rows = []
    for label in range(labels.max() + 1):
        members = embeddings[labels == label]
        distances = np.linalg.norm(members - members.mean(axis=0), axis=1)
        rows.append(int(np.argmin(distances)))
    return rows
