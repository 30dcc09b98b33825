# expects: A value is off
# for the negative, the epsilon is added after the root, so an anchor equal to its negative has distance 1e-6 instead of 1e-3 and a gradient that is not finite; the positive is right
def triplet_distances(embeddings):
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    near = ops.sqrt(ops.sum(ops.square(anchor - positive), axis=-1) + 1e-6)
    far = ops.sqrt(ops.sum(ops.square(anchor - negative), axis=-1)) + 1e-6
    return near, far
