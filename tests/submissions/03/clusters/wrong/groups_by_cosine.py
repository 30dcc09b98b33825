# expects: The rows are scaled to unit length first, and groups that differ only in length are lost
# cluster scales the embeddings to length 1 first, although they should be taken as they are; shown by groups that differ only in length, e.g. points around (1, 1) and around (10, 10).
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score


def cluster(embeddings, k):
    # Only the direction of an embedding has a meaning
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(unit)


def choose_k(embeddings, choices):
    scores = [silhouette_score(embeddings, cluster(embeddings, k)) for k in choices]
    return choices[int(np.argmax(scores))]


def typical_rows(embeddings, labels):
    typical = []
    for label in range(int(np.max(labels)) + 1):
        rows = np.flatnonzero(labels == label)
        distances = np.linalg.norm(embeddings[rows] - embeddings[rows].mean(axis=0), axis=1)
        typical.append(rows[np.argmin(distances)])
    return np.array(typical)
