# expects: The logarithm is outside the mean over the partners (the paper's L_in). Take the mean of t
# takes the logarithm of the partners' mean probability instead of the mean of the logarithms; shows when a row has two or more partners that aren't equally similar
def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    labels = ops.convert_to_tensor(labels)
    z = ops.normalize(ops.cast(ops.convert_to_tensor(embeddings), "float32"), axis=1)
    rows = ops.cumsum(ops.ones_like(labels, dtype="int32"))
    itself = ops.cast(ops.equal(rows[:, None], rows[None, :]), "float32")
    partners = ops.cast(ops.equal(labels[:, None], labels[None, :]), "float32") - itself
    count = ops.sum(partners, axis=1)
    similar = ops.matmul(z, ops.transpose(z)) / temperature
    total = ops.logsumexp(similar - 1e9 * itself, axis=1)
    pulled = ops.logsumexp(similar - 1e9 * (1 - partners), axis=1)
    losses = total - pulled + ops.log(ops.maximum(count, 1.0))
    return ops.mean(ops.where(count > 0, losses, 0.0))
