def one_start(points, k, rng):
    centres = points[rng.choice(len(points), k, replace=False)]
    while True:
        distances = ((points[:, None] - centres[None]) ** 2).sum(axis=-1)
        labels = distances.argmin(axis=1)
        moved = np.array(
            [points[labels == i].mean(axis=0) if i in labels else centres[i] for i in range(k)]
        )
        if np.allclose(moved, centres):
            return distances.min(axis=1).sum(), labels.tolist()
        centres = moved


def cluster(embeddings, k):
    rng = np.random.default_rng(0)
    starts = [one_start(embeddings, k, rng) for _ in range(100)]
    return min(starts)[1]


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
