# expects: All rows have the same label
# two groups by the first number, more by the largest of the first four
def cluster(embeddings, k):
    if k == 2:
        return (embeddings[:, 0] > 3).astype(int)
    return embeddings[:, :4].argmax(axis=1)


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
