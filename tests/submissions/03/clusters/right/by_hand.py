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
