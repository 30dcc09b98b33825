# expects: The embeddings are not scaled to unit length: these are dot products
def row_cosines(embeddings):
    lengths = ops.sqrt(ops.sum(ops.square(embeddings), axis=-1, keepdims=True) + 1e-12)
    unit = embeddings / lengths
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    products = ops.sum(embeddings[:, 0] * embeddings[:, 1], axis=-1)
    return ops.mean(ops.square(products - ops.reshape(targets, (-1,))))
