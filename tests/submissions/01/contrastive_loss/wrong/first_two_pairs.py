# expects: Your code stopped with
# takes the first two pairs for the two sides
def contrastive_loss(same, embeddings, margin=5.0):
    left, right = embeddings[0], embeddings[1]
    d = euclidean_distance(left, right)
    return ops.mean(same * d**2 / 2 + (1 - same) * ops.maximum(0.0, margin - d) ** 2 / 2)
