# expects: The positive is not in the denominator.
def softmax_loss(targets, embeddings, *, temperature=0.1):
    candidates = ops.concatenate([embeddings[:, side] for side in range(1, embeddings.shape[1])])
    logits = ops.matmul(embeddings[:, 0], ops.transpose(candidates)) / temperature
    lowered = logits - 1e9 * ops.eye(*logits.shape)
    return ops.mean(ops.logsumexp(lowered, axis=1) - ops.diagonal(logits))
