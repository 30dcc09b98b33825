# expects: The factor 1/2 is missing.
def contrastive_loss(same, embeddings, margin=5.0):
    left, right = embeddings[:, 0], embeddings[:, 1]
    pull = ops.sum(ops.square(left - right), axis=-1)
    push = ops.square(ops.maximum(0.0, margin - euclidean_distance(left, right)))
    return ops.mean(same * pull + (1 - same) * push)
