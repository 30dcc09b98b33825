def triplet_distances(embeddings):
    gaps = embeddings[:, 1:] - embeddings[:, :1]
    lengths = ops.sqrt(ops.sum(gaps * gaps, axis=-1) + 1e-6)
    return lengths[:, 0], lengths[:, 1]
