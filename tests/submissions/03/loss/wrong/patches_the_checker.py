# expects: the course's own code
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(near - far + margin)


exercises.triplet_loss = triplet_loss
