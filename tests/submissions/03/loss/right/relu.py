def triplet_loss(targets, embeddings, margin=1.0):
    ahead = ops.subtract(*triplet_distances(embeddings))
    return ops.mean(ops.relu(ahead + margin))
