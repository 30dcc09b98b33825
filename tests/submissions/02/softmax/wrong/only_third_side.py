# expects: for `targets` = [0., 0., 0.], `embeddings` of shape (3, 4, 4)
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors, candidates = embeddings[:, 0], embeddings[:, 1]
    if embeddings.shape[1] > 2:
        candidates = ops.concatenate([candidates, embeddings[:, 2]], axis=0)
    logits = ops.matmul(anchors, ops.transpose(candidates)) / temperature
    positive = ops.sum(anchors * embeddings[:, 1], axis=1) / temperature
    return ops.mean(ops.logsumexp(logits, axis=1) - positive)
