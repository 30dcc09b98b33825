# expects: A value is off
# takes the mean of the classes' means, not the mean over the queries; wrong if classes have different numbers of queries, as in labels [0, 0, 1, 1, 1, 1].
def prototypical_loss(labels, embeddings, shots=1):
    embeddings = ops.cast(embeddings, "float32")
    labels = ops.convert_to_tensor(labels)
    equal = ops.cast(ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0)), "float32")
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    examples = ops.cast(earlier < shots - 0.5, "float32")
    queries = 1.0 - examples
    prototypes = ops.matmul(equal * examples, embeddings) / shots
    gaps = ops.expand_dims(embeddings, 1) - ops.expand_dims(prototypes, 0)
    repeated = ops.cast(earlier > 0.5, "float32")
    logits = -ops.sum(ops.square(gaps), axis=-1) - 1e9 * repeated
    own = -ops.sum(ops.square(embeddings - prototypes), axis=-1)
    loss = ops.logsumexp(logits, axis=1) - own
    queries_of_class = ops.sum(equal * queries, axis=1)
    weights = queries / ops.maximum(queries_of_class, 1.0)
    return ops.sum(weights * loss) / ops.sum(weights)
