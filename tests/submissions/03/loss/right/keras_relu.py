def triplet_loss(_, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.average(ops.relu(margin - (far - near)))
