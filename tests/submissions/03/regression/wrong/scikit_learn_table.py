# expects: This is the cosine of the whole batch, every left side with every right one
from sklearn.metrics.pairwise import cosine_similarity


def row_cosines(embeddings):
    return cosine_similarity(embeddings[:, 0], embeddings[:, 1])


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
