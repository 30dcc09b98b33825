# expects: The first axis of `embeddings` is the batch, the second one is the sides
def triplet_distances(embeddings):
    anchor, positive, negative = ops.unstack(embeddings, axis=0)
    near = ops.sqrt(ops.sum(ops.square(anchor - positive), axis=-1) + 1e-6)
    far = ops.sqrt(ops.sum(ops.square(anchor - negative), axis=-1) + 1e-6)
    return near, far
