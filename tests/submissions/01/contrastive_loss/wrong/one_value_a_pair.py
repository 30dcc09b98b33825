# expects: this is one value per pair
def contrastive_loss(same, embeddings, margin=5.0):
    left, right = embeddings[:, 0], embeddings[:, 1]
    d = euclidean_distance(left, right)
    similar = same * ops.sum((left - right) ** 2, axis=1)
    different = (1 - same) * ops.maximum(0.0, margin - d) ** 2
    return 0.5 * similar + 0.5 * different
