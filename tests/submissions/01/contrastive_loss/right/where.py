def contrastive_loss(same, embeddings, margin=5.0):
    left, right = embeddings[:, 0], embeddings[:, 1]
    pull = ops.sum(ops.square(left - right), axis=-1)
    push = ops.square(ops.relu(margin - euclidean_distance(left, right)))
    return ops.mean(ops.where(ops.greater(same, 0.5), pull, push)) / 2.0
