# expects: The denominator contains only the other classes
def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    unit = ops.normalize(embeddings, axis=-1)
    itself = ops.eye(len(labels))
    partners = ops.cast(labels[:, None] == labels, "float32") - itself
    logits = ops.matmul(unit, ops.transpose(unit)) / temperature - 1e9 * itself
    log = logits - ops.logsumexp(logits - 1e9 * partners, axis=-1, keepdims=True)
    rows = ops.sum(partners * log, axis=-1) / ops.maximum(ops.sum(partners, axis=-1), 1.0)
    return -ops.mean(rows)
