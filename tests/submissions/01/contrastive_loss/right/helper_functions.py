def squared_length(vectors):
    return ops.sum(vectors * vectors, axis=-1)


def hinge(x):
    return ops.maximum(x, ops.zeros_like(x))


def contrastive_loss(same, embeddings, margin=5.0):
    squared = squared_length(embeddings[:, 0, :] - embeddings[:, 1, :])
    spring = 0.5 * squared
    bumper = 0.5 * hinge(margin - ops.sqrt(squared + 1e-6)) ** 2
    return ops.mean(bumper + same * (spring - bumper))
