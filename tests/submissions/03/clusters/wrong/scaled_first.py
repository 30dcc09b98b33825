# expects: The rows are scaled to unit length first, and groups that differ only in length are lost
# cluster scales the rows to length 1 although k-means should take them as they are; it shows for groups that lie in the same direction at different distances from 0
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score


def cluster(embeddings, k):
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(unit)


def choose_k(embeddings, choices):
    scores = [
        silhouette_score(embeddings, KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings))
        for k in choices
    ]
    return choices[int(np.argmax(scores))]


def typical_rows(embeddings, labels):
    rows = []
    for label in range(labels.max() + 1):
        members = np.flatnonzero(labels == label)
        center = embeddings[members].mean(axis=0)
        distances = np.linalg.norm(embeddings[members] - center, axis=1)
        rows.append(int(members[np.argmin(distances)]))
    return rows
