# expects: Did the centers move until they stopped
def cluster(embeddings, k):
    centres = embeddings[:k]
    distances = np.linalg.norm(embeddings[:, None] - centres[None], axis=-1)
    return distances.argmin(axis=1)


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
