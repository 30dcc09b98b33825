# expects: This is `minimum`: it drops the triplets that are wrong
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.minimum(0.0, near - far + margin))
