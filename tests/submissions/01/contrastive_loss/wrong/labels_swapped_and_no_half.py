# expects: The factor 1/2 is also missing.
# as in much code from the web, where y is 0 for a similar pair
def contrastive_loss(y, embeddings, margin=5.0):
    d = euclidean_distance(embeddings[:, 0], embeddings[:, 1])
    return ops.mean((1 - y) * ops.square(d) + y * ops.square(ops.maximum(margin - d, 0.0)))
