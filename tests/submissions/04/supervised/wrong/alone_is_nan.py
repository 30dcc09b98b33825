# expects: contains NaN or infinity
def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    unit = ops.normalize(embeddings, axis=-1)
    itself = ops.eye(len(labels))
    partners = ops.cast(labels[:, None] == labels, "float32") - itself
    logits = ops.matmul(unit, ops.transpose(unit)) / temperature - 1e9 * itself
    log = logits - ops.logsumexp(logits, axis=-1, keepdims=True)
    rows = ops.sum(partners * log, axis=-1) / ops.sum(partners, axis=-1)
    return -ops.mean(rows)
