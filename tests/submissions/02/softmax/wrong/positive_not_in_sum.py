# expects: The positive is not in the denominator. The softmax runs over all candidates, including th
# the sum in the denominator leaves out the positive, so the result is not -log softmax (it can be below 0); shows for every input
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors = embeddings[:, 0]
    candidates = ops.concatenate([embeddings[:, k] for k in range(1, embeddings.shape[1])], axis=0)
    logits = ops.matmul(anchors, ops.transpose(candidates)) / temperature
    batch, total = ops.shape(anchors)[0], ops.shape(candidates)[0]
    correct = ops.one_hot(ops.arange(batch), total, dtype=logits.dtype)
    positive = ops.sum(correct * logits, axis=1)
    negatives = ops.logsumexp(logits - 1e9 * correct, axis=1)
    return ops.mean(negatives - positive)
