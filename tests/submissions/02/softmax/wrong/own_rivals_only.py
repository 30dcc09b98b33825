# expects: Every anchor sees only its own near miss. The near misses of the other rows are negatives,
# an anchor meets only its own near miss, not those of the other rows, which the text also counts as candidates; wrong for three sides and more than one row.
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors, positives, rivals = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2:]
    with_positives = ops.matmul(anchors, ops.transpose(positives))
    with_rivals = ops.sum(ops.expand_dims(anchors, 1) * rivals, axis=-1)
    logits = ops.concatenate([with_positives, with_rivals], axis=1) / temperature
    own = ops.sum(anchors * positives, axis=-1) / temperature
    return ops.mean(ops.logsumexp(logits, axis=1) - own)
