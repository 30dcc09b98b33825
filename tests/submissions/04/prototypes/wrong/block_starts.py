# expects: A value is off
# finds the first row of a class by comparing each label with the previous one, which needs grouped rows; labels 7, 2, 7, 2 count each prototype twice.
def prototypical_loss(labels, embeddings, shots=1):
    equal = ops.cast(ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0)), "float32")
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    examples = ops.cast(earlier < shots, "float32")
    weights = equal * examples
    prototypes = ops.matmul(weights, embeddings) / ops.sum(weights, axis=1, keepdims=True)
    differences = ops.expand_dims(embeddings, 1) - ops.expand_dims(prototypes, 0)
    repeated = ops.cast(ops.equal(labels, ops.roll(labels, 1)), "float32")
    logits = -ops.sum(ops.square(differences), axis=-1) - 1e9 * repeated
    own = ops.sum(ops.square(embeddings - prototypes), axis=1)
    loss = own + ops.logsumexp(logits, axis=1)
    queries = 1.0 - examples
    return ops.sum(loss * queries) / ops.sum(queries)
