# expects: The margin is always
# the margin is always 1, whatever the argument says; it shows for any other margin
def triplet_loss(targets, embeddings, margin=1.0):
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    near = ops.sqrt(ops.sum(ops.square(anchor - positive), axis=-1) + 1e-6)
    far = ops.sqrt(ops.sum(ops.square(anchor - negative), axis=-1) + 1e-6)
    return ops.mean(ops.maximum(0.0, near - far + 1.0))
