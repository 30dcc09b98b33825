# expects: The mean is also missing.
# the formula of the paper, with its Y and its sum
def contrastive_loss(same, embeddings, margin=5.0):
    d = euclidean_distance(embeddings[:, 0], embeddings[:, 1])
    pull = 0.5 * d**2
    push = 0.5 * ops.maximum(0.0, margin - d) ** 2
    return ops.sum((1 - same) * pull + same * push)
