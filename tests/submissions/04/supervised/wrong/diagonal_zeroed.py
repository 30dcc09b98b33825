# expects: A value is off
# multiplies the diagonal by 0 instead of subtracting 1e9, so e^0 = 1 stays in the sum for each row itself; visible if the other cosines are small or negative.
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
    total = ops.logsumexp(similarities * (1.0 - itself), axis=1, keepdims=True)
    rows = -ops.sum(partners * (similarities - total), axis=1) / ops.maximum(count, 1.0)
    return ops.mean(rows)
