# expects: A value is off
# flattens sides 1 and 2 row by row, so with near misses candidate i is not the positive of anchor i; right for two sides only
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors = embeddings[:, 0]
    candidates = ops.reshape(embeddings[:, 1:], (-1, embeddings.shape[-1]))
    logits = ops.matmul(anchors, ops.transpose(candidates)) / temperature
    batch = ops.shape(anchors)[0]
    correct = ops.one_hot(ops.arange(batch), ops.shape(candidates)[0], dtype=logits.dtype)
    return ops.mean(ops.logsumexp(logits, axis=1) - ops.sum(correct * logits, axis=1))
