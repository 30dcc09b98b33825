# expects: These are 1 - cosine. Use the Euclidean distance
def triplet_distances(embeddings):
    near = 1 - row_cosines(embeddings[:, :2])
    far = 1 - row_cosines(embeddings[:, ::2])
    return near, far
