# expects: The second distance is from the positive to the negative. Both start at the anchor.
# the second distance is from the positive to the negative, not from the anchor; it shows whenever anchor and positive differ
def triplet_distances(embeddings):
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    near = ops.sqrt(ops.sum(ops.square(anchor - positive), axis=-1) + 1e-6)
    far = ops.sqrt(ops.sum(ops.square(positive - negative), axis=-1) + 1e-6)
    return near, far
