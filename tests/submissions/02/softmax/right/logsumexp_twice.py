def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors, others = embeddings[:, 0], embeddings[:, 1:]
    table = ops.einsum("ad,csd->acs", anchors, others) / temperature
    own = ops.sum(anchors * others[:, 0], axis=-1) / temperature
    total = ops.logsumexp(ops.logsumexp(table, axis=2), axis=1)
    return ops.mean(total - own)
