def prototypical_loss(labels, embeddings, shots=1):
    labels, embeddings = ops.convert_to_tensor(labels), ops.convert_to_tensor(embeddings)
    equal = ops.cast(
        ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0)), embeddings.dtype
    )
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    query = earlier >= shots
    share = equal * ops.expand_dims(1.0 - ops.cast(query, embeddings.dtype), 0)
    share = share / ops.sum(share, axis=1, keepdims=True)
    prototypes = ops.einsum("ij,jd->id", share, embeddings)
    squared = ops.sum(
        (ops.expand_dims(embeddings, 1) - ops.expand_dims(prototypes, 0)) ** 2, axis=2
    )
    rows_of_class = ops.sum(equal, axis=0)
    denominator = ops.logsumexp(-squared - ops.expand_dims(ops.log(rows_of_class), 0), axis=1)
    own = ops.sum((embeddings - prototypes) ** 2, axis=1)
    loss = ops.where(query, own + denominator, ops.zeros_like(own))
    return ops.sum(loss) / ops.sum(ops.cast(query, embeddings.dtype))
