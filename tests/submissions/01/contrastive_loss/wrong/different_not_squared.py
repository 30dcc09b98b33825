# expects: The term for different pairs is not squared
def contrastive_loss(same, embeddings, margin=5.0):
    d = euclidean_distance(embeddings[:, 0], embeddings[:, 1])
    pull = 0.5 * ops.square(d)
    push = 0.5 * ops.relu(margin - d)
    return ops.mean(same * pull + (1 - same) * push)
