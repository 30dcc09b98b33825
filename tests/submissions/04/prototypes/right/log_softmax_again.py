def prototypical_loss(labels, embeddings, shots=1):
    labels, embeddings = ops.convert_to_tensor(labels), ops.convert_to_tensor(embeddings)
    same = ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0))
    equal = ops.cast(same, embeddings.dtype)
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    examples = ops.expand_dims(ops.cast(earlier < shots, embeddings.dtype), 0)
    prototypes = ops.matmul(equal * examples, embeddings) / ops.sum(
        equal * examples, axis=1, keepdims=True
    )
    squared = ops.sum(
        ops.square(ops.expand_dims(embeddings, 1) - ops.expand_dims(prototypes, 0)), axis=-1
    )
    first = ops.expand_dims(earlier < 1, 0)
    logits = ops.where(first, -squared, -1e30 * ops.ones_like(squared))
    log_shares = ops.log_softmax(logits, axis=-1)
    own = ops.where(ops.logical_and(same, first), log_shares, ops.zeros_like(log_shares))
    queries = ops.cast(earlier >= shots, embeddings.dtype)
    return -ops.sum(ops.sum(own, axis=1) * queries) / ops.sum(queries)
