# expects: The examples are used as queries
def prototypical_loss(labels, embeddings, shots=1):
    equal = ops.cast(labels[:, None] == labels, "float32")
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    examples = equal * ops.cast(earlier < shots, "float32")
    prototypes = ops.matmul(examples, embeddings) / ops.sum(examples, axis=1, keepdims=True)
    logits = -ops.sum(ops.square(embeddings[:, None] - prototypes), axis=-1)
    classes = logits - 1e9 * ops.cast(earlier > 0, "float32")
    rows = ops.logsumexp(classes, axis=1) - ops.diagonal(logits)
    asked = ops.cast(earlier < shots, "float32")
    return ops.sum(rows * asked) / ops.sum(asked)
