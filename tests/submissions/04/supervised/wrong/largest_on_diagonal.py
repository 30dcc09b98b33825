# expects: The result contains NaN or infinity, for `labels` =
# instead of logsumexp, subtracts the largest of the row, which is the diagonal that doesn't count; with a temperature of 0.005, all other exponentials are 0, and the loss is infinite or NaN.
def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    z = ops.normalize(embeddings, axis=-1)
    similarities = ops.matmul(z, ops.transpose(z)) / temperature
    similarities = similarities - ops.max(similarities, axis=1, keepdims=True)
    same = ops.cast(ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0)), "float32")
    diagonal = ops.eye(ops.shape(embeddings)[0])
    partners = same - diagonal
    total = ops.sum(ops.exp(similarities) * (1.0 - diagonal), axis=1, keepdims=True)
    log_shares = similarities - ops.log(total)
    return ops.mean(
        -ops.sum(partners * log_shares, axis=1) / ops.maximum(ops.sum(partners, axis=1), 1.0)
    )
