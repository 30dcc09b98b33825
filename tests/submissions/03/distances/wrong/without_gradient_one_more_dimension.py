# expects: No gradient flows through your code
# a distance with an extra difference of 0.001: its square is the epsilon
def triplet_distances(embeddings):
    steps = np.asarray(embeddings, "float64")[:, 1:] - np.asarray(embeddings, "float64")[:, :1]
    steps = np.concatenate([steps, np.full((*steps.shape[:2], 1), 1e-3)], axis=2)
    near, far = np.linalg.norm(steps, axis=2).T
    return near, far
