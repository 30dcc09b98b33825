def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors, candidates = embeddings[:, 0], embeddings[:, 1:]
    logits = ops.tensordot(anchors, candidates, axes=[[1], [2]]) / temperature
    positive = ops.sum(ops.multiply(anchors, candidates[:, 0]), axis=-1) / temperature
    return ops.mean(ops.logsumexp(logits, axis=(1, 2)) - positive)
