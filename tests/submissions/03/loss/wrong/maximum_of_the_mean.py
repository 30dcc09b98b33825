# expects: The mean is taken before `max(
# takes the mean first and then the maximum, so easy triplets cancel wrong ones; shown by a batch with a triplet that is more than the margin ahead and one that isn't.
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.maximum(ops.mean(near - far + margin), 0.0)
