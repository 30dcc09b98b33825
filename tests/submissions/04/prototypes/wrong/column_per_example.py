# expects: A value is off
# keeps one column for each example, not one for each class, in the sum; right for shots = 1, but for shots = 2 each class counts twice, and the loss is too large by log 2.
def prototypical_loss(labels, embeddings, shots=1):
    embeddings = ops.cast(embeddings, "float32")
    labels = ops.convert_to_tensor(labels)
    equal = ops.cast(ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0)), "float32")
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    examples = ops.cast(earlier < shots - 0.5, "float32")
    queries = 1.0 - examples
    prototypes = ops.matmul(equal * examples, embeddings) / shots
    gaps = ops.expand_dims(embeddings, 1) - ops.expand_dims(prototypes, 0)
    logits = -ops.sum(ops.square(gaps), axis=-1) - 1e9 * queries
    own = -ops.sum(ops.square(embeddings - prototypes), axis=-1)
    loss = ops.logsumexp(logits, axis=1) - own
    return ops.sum(queries * loss) / ops.sum(queries)
