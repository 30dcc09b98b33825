# expects: A value is off
# uses the targets as the lower bound of the maximum, since the notebook passes zeros, although they must not be used; shown by targets other than zeros, e.g. ones.
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    zeros = ops.cast(ops.reshape(targets, (-1,)), near.dtype)
    return ops.mean(ops.maximum(zeros, near - far + margin))
