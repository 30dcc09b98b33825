# expects: This is the dot product: long embeddings count more. Divide each embedding by its length f
# the dot product without dividing by the lengths; shown by embeddings that don't have length 1.
def row_cosines(embeddings):
    return ops.sum(embeddings[:, 0] * embeddings[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    cosines = row_cosines(embeddings)
    targets = ops.cast(ops.reshape(targets, (-1,)), cosines.dtype)
    return ops.mean(ops.square(cosines - targets))
