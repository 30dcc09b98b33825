# expects: The sign is reversed: 1 must mean similar
def row_cosines(embeddings):
    return keras.losses.cosine_similarity(embeddings[:, 0], embeddings[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
