# expects: The logarithm is outside the mean over the partners (the paper's L_in). Take the mean of t
# takes the logarithm of the mean probability of the partners, not the mean of the logarithms; the same with one partner each, wrong with three rows of a class.
def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    embeddings = ops.cast(embeddings, "float32")
    z = embeddings * ops.rsqrt(
        ops.maximum(ops.sum(ops.square(embeddings), axis=1, keepdims=True), 1e-24)
    )
    labels = ops.convert_to_tensor(labels)
    number = ops.cumsum(ops.ones_like(labels))
    itself = ops.cast(ops.equal(ops.expand_dims(number, 1), ops.expand_dims(number, 0)), "float32")
    equal = ops.cast(ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0)), "float32")
    partners = equal - itself
    count = ops.sum(partners, axis=1)
    similarities = ops.matmul(z, ops.transpose(z)) / temperature
    total = ops.logsumexp(similarities - 1e9 * itself, axis=1)
    of_partners = ops.logsumexp(similarities - 1e9 * (1.0 - partners), axis=1)
    rows = total - of_partners + ops.log(ops.maximum(count, 1.0))
    return ops.mean(ops.where(count > 0.5, rows, 0.0))
