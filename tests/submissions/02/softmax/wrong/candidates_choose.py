# expects: The roles are swapped: side
# the softmax is over the anchors (axis 0) instead of over the candidates, so each candidate picks an anchor; shows whenever the logits are not symmetric or there are near misses
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors = embeddings[:, 0]
    positives = embeddings[:, 1]
    candidates = ops.concatenate([embeddings[:, k] for k in range(1, embeddings.shape[1])], axis=0)
    logits = ops.matmul(anchors, ops.transpose(candidates)) / temperature
    per_candidate = ops.logsumexp(logits, axis=0)[: ops.shape(anchors)[0]]
    return ops.mean(per_candidate - ops.sum(anchors * positives, axis=1) / temperature)
