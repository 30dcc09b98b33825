def triplet_distances(embeddings):
    others, anchor = embeddings[:, 1:], embeddings[:, :1]
    squares = ops.sum(ops.power(others - anchor, 2), axis=-1)
    return ops.transpose(ops.sqrt(ops.add(squares, 1e-6)))
