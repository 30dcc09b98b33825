# expects: The sign inside the max is reversed
def contrastive_loss(same, embeddings, margin=5.0):
    left, right = embeddings[:, 0], embeddings[:, 1]
    distance = euclidean_distance(left, right)
    pull = 0.5 * distance**2
    push = 0.5 * ops.maximum(0.0, distance - margin) ** 2
    return ops.mean(same * pull + (1.0 - same) * push)
