# expects: A value is off
# takes the mean of each class first, then the mean of the classes, instead of the mean over the queries; classes with different numbers of queries.
def prototypical_loss(labels, embeddings, shots=1):
    equal = ops.cast(ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0)), "float32")
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    examples = ops.cast(earlier < shots, "float32")
    weights = equal * examples
    prototypes = ops.matmul(weights, embeddings) / ops.sum(weights, axis=1, keepdims=True)
    differences = ops.expand_dims(embeddings, 1) - ops.expand_dims(prototypes, 0)
    first = ops.cast(earlier < 1, "float32")
    logits = -ops.sum(ops.square(differences), axis=-1) - 1e9 * (1.0 - first)
    own = ops.sum(ops.square(embeddings - prototypes), axis=1)
    loss = own + ops.logsumexp(logits, axis=1)
    queries = 1.0 - examples
    queries_of_class = ops.sum(equal * queries, axis=1)
    return ops.sum(loss * queries / queries_of_class) / ops.sum(first)
