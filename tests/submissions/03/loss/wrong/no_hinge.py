# expects: triplets that are already right pull the loss below zero
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(near - far + margin)
