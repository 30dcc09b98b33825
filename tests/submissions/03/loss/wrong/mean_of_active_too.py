# expects: The mean is taken over the triplets with a loss. Those that are right count, too, with
# averages only over the triplets whose loss is above 0, not over the batch; it shows for a batch in which some triplets, but not all, are beyond the margin
def triplet_loss(targets, embeddings, margin=1.0):
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    near = ops.sqrt(ops.sum(ops.square(anchor - positive), axis=-1) + 1e-6)
    far = ops.sqrt(ops.sum(ops.square(anchor - negative), axis=-1) + 1e-6)
    each = ops.relu(near - far + margin)
    active = ops.sum(ops.cast(each > 0, each.dtype))
    return ops.sum(each) / ops.maximum(active, 1.0)
