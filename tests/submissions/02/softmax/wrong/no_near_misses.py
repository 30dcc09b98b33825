# expects: The near misses, `embeddings[:, 2]`, are not among the candidates.
def softmax_loss(targets, embeddings, *, temperature=0.1):
    candidates = embeddings[:, 1]
    logits = ops.matmul(embeddings[:, 0], ops.transpose(candidates)) / temperature
    return ops.mean(ops.logsumexp(logits, axis=1) - ops.diagonal(logits))
