# expects: the course's own code
exercises.distances.parts = []


def triplet_distances(embeddings):
    anchor, positive, negative = np.asarray(embeddings).transpose(1, 0, 2)
    near = np.linalg.norm(anchor - positive, axis=1)
    far = np.linalg.norm(anchor - negative, axis=1)
    return near, far
