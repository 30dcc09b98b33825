# expects: 1 - cosine, a distance, is compared with the targets
def row_cosines(embeddings):
    lengths = ops.sqrt(ops.sum(ops.square(embeddings), axis=-1, keepdims=True) + 1e-12)
    unit = embeddings / lengths
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    distances = 1 - row_cosines(embeddings)
    return ops.mean(ops.square(distances - ops.reshape(targets, (-1,))))
