# expects: A value is off
# takes the mean over all pairs of partners, not first over the partners of each row and then over all rows; wrong if classes differ in size (labels [0, 0, 1, 1, 1]) or a row has no partner.
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
    total = ops.logsumexp(similarities - 1e9 * itself, axis=1, keepdims=True)
    return -ops.sum(partners * (similarities - total)) / ops.maximum(ops.sum(count), 1.0)
