# expects: This is the best score
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score


def cluster(embeddings, k):
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)


def choose_k(embeddings, choices):
    return max(silhouette_score(embeddings, cluster(embeddings, k)) for k in choices)


def typical_rows(embeddings, labels):
    found = []
    for label in range(max(labels) + 1):
        members = np.flatnonzero(labels == label)
        center = embeddings[members].mean(axis=0)
        found.append(members[np.argmin(((embeddings[members] - center) ** 2).sum(axis=1))])
    return found
