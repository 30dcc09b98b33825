# expects: The distance of similar pairs is not squared
def contrastive_loss(same, embeddings, margin=5.0):
    d = euclidean_distance(embeddings[:, 0], embeddings[:, 1])
    return ops.mean(same * 0.5 * d + (1 - same) * 0.5 * ops.square(ops.maximum(0.0, margin - d)))
