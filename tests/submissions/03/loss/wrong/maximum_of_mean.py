# expects: The mean is taken before `max(
# averages first and cuts at 0 afterwards, so easy triplets cancel hard ones; it shows for a batch with a triplet beyond the margin beside one within it
def triplet_loss(targets, embeddings, margin=1.0):
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    near = ops.sqrt(ops.sum(ops.square(anchor - positive), axis=-1) + 1e-6)
    far = ops.sqrt(ops.sum(ops.square(anchor - negative), axis=-1) + 1e-6)
    return ops.maximum(0.0, ops.mean(near - far) + margin)
