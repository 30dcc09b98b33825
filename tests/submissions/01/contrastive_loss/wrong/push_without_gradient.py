# expects: The gradient with respect to `embeddings` is not right
def contrastive_loss(same, embeddings, margin=5.0):
    left, right = embeddings[:, 0], embeddings[:, 1]
    pull = 0.5 * ops.sum(ops.square(left - right), axis=-1)
    push = 0.5 * ops.square(ops.maximum(0.0, margin - euclidean_distance(left, right)))
    return ops.mean(same * pull + (1.0 - same) * ops.stop_gradient(push))
