def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    labels, embeddings = ops.convert_to_tensor(labels), ops.convert_to_tensor(embeddings)
    squares = ops.sum(ops.square(embeddings), axis=1, keepdims=True)
    z = embeddings / ops.sqrt(ops.maximum(squares, 1e-24))
    table = ops.matmul(z, ops.transpose(z)) / temperature
    number = ops.cumsum(ops.cast(ops.ones_like(labels), "int32"), axis=0)
    itself = ops.equal(ops.expand_dims(number, 1), ops.expand_dims(number, 0))
    same = ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0))
    partners = ops.logical_and(same, ops.logical_not(itself))
    log_shares = ops.log_softmax(table - 1e9 * ops.cast(itself, table.dtype), axis=1)
    sums = ops.sum(ops.where(partners, log_shares, ops.zeros_like(log_shares)), axis=1)
    counts = ops.sum(ops.cast(partners, table.dtype), axis=1)
    return -ops.mean(sums / ops.maximum(counts, 1.0))
