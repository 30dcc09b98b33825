# expects: A value is off
# takes the negative's distance to the anchor or to the positive, whichever is smaller (the "distance swap"), instead of D(a, n); shown by a negative that is closer to the positive than to the anchor.
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    gap = embeddings[:, 1] - embeddings[:, 2]
    other = ops.sqrt(ops.sum(ops.square(gap), axis=-1) + 1e-6)
    return ops.mean(ops.maximum(near - ops.minimum(far, other) + margin, 0.0))
