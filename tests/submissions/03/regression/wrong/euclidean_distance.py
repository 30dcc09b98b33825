# expects: This is the Euclidean distance. The regression objective compares directions
def row_cosines(embeddings):
    difference = embeddings[:, 0] - embeddings[:, 1]
    return ops.sqrt(ops.sum(ops.square(difference), axis=-1))


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
