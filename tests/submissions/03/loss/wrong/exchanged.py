# expects: Positive and negative are swapped: this pulls the negative in
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, far - near + margin))
