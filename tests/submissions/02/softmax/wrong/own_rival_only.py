# expects: Every anchor sees only its own near miss. The near misses of the other rows are negatives,
# an anchor competes with the positives of all rows but only with its own near miss, not with those of the other rows; shows for three sides and more than one row
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors = embeddings[:, 0]
    positives = embeddings[:, 1]
    with_positives = ops.matmul(anchors, ops.transpose(positives))
    with_rivals = ops.sum(embeddings[:, :1] * embeddings[:, 2:], axis=-1)
    logits = ops.concatenate([with_positives, with_rivals], axis=1) / temperature
    correct = ops.sum(anchors * positives, axis=1) / temperature
    return ops.mean(ops.logsumexp(logits, axis=1) - correct)
