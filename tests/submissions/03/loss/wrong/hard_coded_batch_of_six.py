# expects: A value is off
# always divides by 6
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.sum(ops.maximum(0.0, near - far + margin)) / 6
