# expects: course's own
from siamese_course import losses


def row_cosines(embeddings):
    return losses.row_cosines(embeddings)


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
