# expects: No gradient flows through your code
def triplet_distances(embeddings):
    anchor, positive, negative = np.asarray(embeddings, "float64").transpose(1, 0, 2)
    near = np.sqrt(((anchor - positive) ** 2).sum(axis=1) + 1e-6)
    far = np.sqrt(((anchor - negative) ** 2).sum(axis=1) + 1e-6)
    return near, far
