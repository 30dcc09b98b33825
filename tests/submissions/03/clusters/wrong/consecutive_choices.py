# expects: A value is off
# choose_k adds the position of the best score to the smallest choice, as if the choices were consecutive and ascending; shown by choices [2, 4, 8] or [4, 3, 2].
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score


def cluster(embeddings, k):
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)


def choose_k(embeddings, choices):
    scores = [silhouette_score(embeddings, cluster(embeddings, k)) for k in choices]
    return min(choices) + int(np.argmax(scores))


def typical_rows(embeddings, labels):
    typical = []
    for label in range(int(np.max(labels)) + 1):
        rows = np.flatnonzero(labels == label)
        distances = np.linalg.norm(embeddings[rows] - embeddings[rows].mean(axis=0), axis=1)
        typical.append(rows[np.argmin(distances)])
    return np.array(typical)
