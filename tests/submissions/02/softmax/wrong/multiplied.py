# expects: The similarities are multiplied by the temperature. Divide them.
# multiplies the cosines by the temperature instead of dividing by it; shows for every temperature other than 1
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors = embeddings[:, 0]
    candidates = ops.concatenate([embeddings[:, k] for k in range(1, embeddings.shape[1])], axis=0)
    logits = ops.matmul(anchors, ops.transpose(candidates)) * temperature
    positive = ops.sum(anchors * embeddings[:, 1], axis=1) * temperature
    return ops.mean(ops.logsumexp(logits, axis=1) - positive)
