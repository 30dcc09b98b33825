def triplet_distances(embeddings):
    gaps = embeddings[:, 1:] - embeddings[:, :1]
    distances = ops.sqrt(ops.einsum("bsd,bsd->bs", gaps, gaps) + 1e-6)
    return distances[:, 0], distances[:, 1]
