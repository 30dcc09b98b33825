# expects: The mean is taken over the triplets with a loss. Those that are right count, too, with
# averages only over the triplets with a loss above 0 instead of the whole batch; two triplets with losses 0 and 1 give 1 instead of 0.5.
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    each = ops.maximum(near - far + margin, 0.0)
    active = ops.cast(each > 0, each.dtype)
    return ops.sum(each) / ops.maximum(ops.sum(active), 1.0)
