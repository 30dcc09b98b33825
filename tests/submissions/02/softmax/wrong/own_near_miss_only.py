# expects: Every anchor sees only its own near miss.
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors, positives = embeddings[:, 0], embeddings[:, 1]
    logits = ops.matmul(anchors, ops.transpose(positives)) / temperature
    if embeddings.shape[1] > 2:
        own = ops.sum(anchors * embeddings[:, 2], axis=1, keepdims=True) / temperature
        logits = ops.concatenate([logits, own], axis=1)
    return ops.mean(ops.logsumexp(logits, axis=1) - ops.diagonal(logits))
