# expects: The logarithm is outside the mean over the partners (the paper's L_in). Take the mean of t
# takes the logarithm of the partners' mean (the paper's other version, "L in") instead of the mean of the logarithms; a class with three or more rows.
def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    z = ops.normalize(embeddings, axis=-1)
    similarities = ops.matmul(z, ops.transpose(z)) / temperature
    same = ops.cast(ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0)), "float32")
    diagonal = ops.eye(ops.shape(embeddings)[0])
    partners = same - diagonal
    count = ops.sum(partners, axis=1)
    others = ops.logsumexp(similarities - 1e9 * diagonal, axis=1)
    found = ops.logsumexp(similarities - 1e9 * (1.0 - partners), axis=1) - ops.log(
        ops.maximum(count, 1.0)
    )
    return ops.mean(ops.where(count > 0, others - found, 0.0))
