def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    labels, embeddings = ops.convert_to_tensor(labels), ops.convert_to_tensor(embeddings)
    lengths = ops.sqrt(ops.maximum(ops.einsum("bd,bd->b", embeddings, embeddings), 1e-24))
    z = embeddings / ops.expand_dims(lengths, 1)
    similarities = ops.einsum("id,jd->ij", z, z) / temperature
    same = ops.cast(ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0)), z.dtype)
    partners = ops.tril(same, -1) + ops.triu(same, 1)
    # Every row shares its label with itself, so the difference is 1 on the diagonal, 0 elsewhere
    everyone = ops.logsumexp(similarities - 1e9 * (same - partners), axis=1)
    count = ops.sum(partners, axis=1)
    attraction = ops.sum(partners * similarities, axis=1) / ops.maximum(count, 1.0)
    return ops.mean(ops.minimum(count, 1.0) * (everyone - attraction))
