# expects: The margin is added after `max(0, ...)`
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.relu(near - far)) + margin
