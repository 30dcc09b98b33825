# expects: The distances are squared. Use them as `triplet_distances` returns them
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, near**2 - far**2 + margin))
