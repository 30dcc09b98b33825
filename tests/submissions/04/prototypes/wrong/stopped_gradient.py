# expects: The gradient with respect to `embeddings` is not right, so a network would learn something
# stops the gradient at the prototypes, so the examples get no gradient at all (all their rows are 0), though the loss depends on them; the value is right.
def prototypical_loss(labels, embeddings, shots=1):
    embeddings = ops.cast(embeddings, "float32")
    labels = ops.convert_to_tensor(labels)
    equal = ops.cast(ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0)), "float32")
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    examples = ops.cast(earlier < shots - 0.5, "float32")
    queries = 1.0 - examples
    prototypes = ops.matmul(equal * examples, embeddings) / shots
    prototypes = ops.stop_gradient(prototypes)
    gaps = ops.expand_dims(embeddings, 1) - ops.expand_dims(prototypes, 0)
    repeated = ops.cast(earlier > 0.5, "float32")
    logits = -ops.sum(ops.square(gaps), axis=-1) - 1e9 * repeated
    own = -ops.sum(ops.square(embeddings - prototypes), axis=-1)
    loss = ops.logsumexp(logits, axis=1) - own
    return ops.sum(queries * loss) / ops.sum(queries)
