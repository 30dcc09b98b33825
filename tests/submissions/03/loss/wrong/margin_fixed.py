# expects: The margin is always
# uses the margin 1 of the text instead of the argument, so triplet_loss(targets, embeddings, margin=0.5) gives the loss for margin 1.
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.relu(near - far + 1.0))
