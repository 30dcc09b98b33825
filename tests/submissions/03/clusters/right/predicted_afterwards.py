from sklearn.cluster import KMeans


def cluster(points, number):
    points = np.array(points, dtype="float64")
    means = KMeans(number, init="random", n_init=50, random_state=7).fit(points)
    return means.predict(points) + 1


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
