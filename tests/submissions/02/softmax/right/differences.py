def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors = embeddings[:, 0, :]
    by_side = ops.transpose(embeddings[:, 1:, :], (1, 0, 2))
    candidates = ops.reshape(by_side, (-1, embeddings.shape[-1]))
    cosines = ops.matmul(anchors, ops.transpose(candidates))
    own = ops.sum(ops.multiply(anchors, embeddings[:, 1, :]), axis=1, keepdims=True)
    return ops.mean(ops.logsumexp((cosines - own) / temperature, axis=1))
