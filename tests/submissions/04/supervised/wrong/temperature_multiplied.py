# expects: The cosines are multiplied by the temperature. Divide by it.
# multiplies the cosines by the temperature instead of dividing; shows for every temperature but 1
def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    labels = ops.convert_to_tensor(labels)
    z = ops.normalize(ops.cast(ops.convert_to_tensor(embeddings), "float32"), axis=1)
    rows = ops.cumsum(ops.ones_like(labels, dtype="int32"))
    itself = ops.cast(ops.equal(rows[:, None], rows[None, :]), "float32")
    partners = ops.cast(ops.equal(labels[:, None], labels[None, :]), "float32") - itself
    count = ops.sum(partners, axis=1)
    similar = ops.matmul(z, ops.transpose(z)) * temperature
    total = ops.logsumexp(similar - 1e9 * itself, axis=1, keepdims=True)
    losses = -ops.sum(partners * (similar - total), axis=1) / ops.maximum(count, 1.0)
    return ops.mean(losses)
