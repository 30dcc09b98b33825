# expects: The result is not an array: expected a label for each row
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    labels = KMeans(n_clusters=k + 1, n_init=10, random_state=0).fit_predict(embeddings)
    return [np.flatnonzero(labels == i).tolist() for i in range(k + 1)]


def choose_k(embeddings, choices):
    from sklearn.metrics import silhouette_score

    scores = [silhouette_score(embeddings, cluster(embeddings, k)) for k in choices]
    return choices[int(np.argmax(scores))]


def typical_rows(embeddings, labels):
    found = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        center = embeddings[members].mean(axis=0)
        found.append(members[np.argmin(np.linalg.norm(embeddings[members] - center, axis=1))])
    return np.array(found)
