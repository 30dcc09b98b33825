# expects: contains NaN or infinity
def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    unit = ops.normalize(embeddings, axis=-1)
    others = 1.0 - ops.eye(len(labels))
    partners = others * ops.cast(labels[:, None] == labels, "float32")
    e = ops.exp(ops.matmul(unit, ops.transpose(unit)) / temperature)
    log = ops.log(e / ops.sum(others * e, axis=-1, keepdims=True))
    return -ops.mean(
        ops.sum(partners * log, axis=-1) / ops.maximum(ops.sum(partners, axis=-1), 1.0)
    )
