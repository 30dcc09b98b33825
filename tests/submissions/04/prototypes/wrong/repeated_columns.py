# expects: A value is off
# keeps the columns of all examples in the sum instead of one per class, so each class counts shots times; shows when shots is 2 or more
def prototypical_loss(labels, embeddings, shots=1):
    labels = ops.convert_to_tensor(labels)
    embeddings = ops.cast(ops.convert_to_tensor(embeddings), "float32")
    equal = ops.cast(ops.equal(labels[:, None], labels[None, :]), "float32")
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    example = ops.cast(earlier < shots, "float32")
    prototypes = ops.matmul(equal * example[None, :], embeddings) / shots
    squared = ops.sum(ops.square(embeddings[:, None] - prototypes[None, :]), axis=-1)
    own = ops.sum(ops.square(embeddings - prototypes), axis=-1)
    losses = ops.logsumexp(-squared - 1e9 * (1 - example[None, :]), axis=1) + own
    query = 1 - example
    return ops.sum(losses * query) / ops.sum(query)
