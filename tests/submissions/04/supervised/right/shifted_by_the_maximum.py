def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    unit = embeddings / ops.norm(embeddings, axis=-1, keepdims=True)
    others = 1.0 - ops.eye(len(labels))
    s = unit @ ops.transpose(unit) / temperature
    top = ops.max(s - 1e9 * (1 - others), axis=-1, keepdims=True)
    below = ops.sum(others * ops.exp(ops.minimum(s - top, 0.0)), axis=-1, keepdims=True)
    log = s - top - ops.log(below)
    partners = others * ops.cast(labels[None] == labels[:, None], "float32")
    return -ops.mean(
        ops.sum(partners * log, axis=-1) / ops.maximum(1.0, ops.sum(partners, axis=-1))
    )
