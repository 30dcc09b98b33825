# expects: The max(0, ...) is missing
def contrastive_loss(same, embeddings, margin=5.0):
    d = euclidean_distance(embeddings[:, 0], embeddings[:, 1])
    return ops.mean(same * d**2 / 2 + (1 - same) * (margin - d) ** 2 / 2)
