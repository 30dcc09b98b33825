def contrastive_loss(same, embeddings, margin=5.0):
    d = euclidean_distance(embeddings[:, 0], embeddings[:, 1])
    pull = ops.square(d)
    push = ops.square(ops.relu(margin - d))
    return ops.mean(ops.where(ops.equal(same, 1.0), pull, push)) / 2
