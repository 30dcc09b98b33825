# expects: course's own
def triplet_distances(embeddings):
    near, far = exercises.triplet_distances(embeddings)
    return near, far
