# expects: The rows are scaled to unit length first, and groups that differ only in length are lost
# cluster scales the rows to length 1 first, although the text says to take embeddings as they are; groups that differ only in length (same direction, near and far from 0) aren't found.
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score


def cluster(embeddings, k):
    unit = embeddings / np.maximum(np.linalg.norm(embeddings, axis=1, keepdims=True), 1e-12)
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(unit)


def choose_k(embeddings, choices):
    scores = [silhouette_score(embeddings, cluster(embeddings, k)) for k in choices]
    return choices[int(np.argmax(scores))]


def typical_rows(embeddings, labels):
    found = []
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        center = embeddings[rows].mean(axis=0)
        found.append(rows[np.argmin(np.linalg.norm(embeddings[rows] - center, axis=1))])
    return np.array(found)
