# expects: course's own
def row_cosines(embeddings):
    return losses.row_cosines(embeddings)


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
