# expects: Every pair gets both terms
def contrastive_loss(same, embeddings, margin=5.0):
    d = euclidean_distance(embeddings[:, 0], embeddings[:, 1])
    pull = 0.5 * ops.square(d)
    push = 0.5 * ops.square(ops.maximum(0.0, margin - d))
    return ops.mean(pull + push)
