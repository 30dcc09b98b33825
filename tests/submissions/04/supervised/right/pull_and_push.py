def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    labels = ops.convert_to_tensor(labels)
    vectors = ops.cast(ops.convert_to_tensor(embeddings), "float32")
    z = vectors * ops.rsqrt(ops.maximum(ops.sum(ops.square(vectors), axis=1, keepdims=True), 1e-24))
    same = ops.cast(ops.equal(labels[:, None], labels[None, :]), "float32")
    partners = ops.sum(same, axis=1) - 1.0
    partner_sum = ops.matmul(same, z) - z
    pull = ops.sum(z * partner_sum, axis=1) / temperature / ops.maximum(partners, 1.0)
    place = ops.cumsum(ops.ones_like(labels, dtype="int32"))
    itself = ops.cast(ops.equal(place[:, None], place[None, :]), "float32")
    push = ops.logsumexp(ops.matmul(z, ops.transpose(z)) / temperature - 1e9 * itself, axis=1)
    return ops.mean(ops.where(ops.greater(partners, 0.5), push - pull, 0.0))
