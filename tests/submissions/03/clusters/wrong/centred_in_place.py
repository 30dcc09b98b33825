# expects: Your code changes the embeddings in place
from sklearn.cluster import KMeans


def cluster(embeddings, k):
    embeddings -= embeddings.mean(axis=0)
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)


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
