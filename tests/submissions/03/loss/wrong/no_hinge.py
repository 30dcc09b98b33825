# expects: `max(0, ...)` is missing: triplets that are right already
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(near - far + margin)
