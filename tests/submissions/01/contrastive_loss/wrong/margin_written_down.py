# expects: The margin is hard-coded as 5
def contrastive_loss(same, embeddings, margin=5.0):
    left, right = embeddings[:, 0], embeddings[:, 1]
    pull = ops.sum(ops.square(left - right), axis=-1) / 2
    push = ops.square(ops.maximum(0.0, 5.0 - euclidean_distance(left, right))) / 2
    return ops.mean(same * pull + (1.0 - same) * push)
