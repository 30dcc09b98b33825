# expects: A value is off
# to avoid a division by zero, divides by the product of the lengths or 1, whichever is larger; embeddings shorter than 1 get a cosine that is too small ([0.1, 0] with itself gives 0.01).
def row_cosines(embeddings):
    left, right = embeddings[:, 0], embeddings[:, 1]
    lengths = ops.sqrt(ops.sum(left * left, axis=-1)) * ops.sqrt(ops.sum(right * right, axis=-1))
    return ops.sum(left * right, axis=-1) / ops.maximum(lengths, 1.0)


def regression_loss(targets, embeddings):
    cosines = row_cosines(embeddings)
    targets = ops.cast(ops.reshape(targets, (-1,)), cosines.dtype)
    return ops.mean(ops.square(cosines - targets))
