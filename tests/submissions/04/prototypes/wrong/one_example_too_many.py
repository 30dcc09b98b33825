# expects: The result contains NaN or infinity, for `labels` of shape (
# earlier <= shots makes shots + 1 rows of each class examples, so the first query of each class is lost and gets into the prototype
def prototypical_loss(labels, embeddings, shots=1):
    labels = ops.convert_to_tensor(labels)
    embeddings = ops.cast(ops.convert_to_tensor(embeddings), "float32")
    equal = ops.cast(ops.equal(labels[:, None], labels[None, :]), "float32")
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    example = ops.cast(earlier <= shots, "float32")
    weights = equal * example[None, :]
    prototypes = ops.matmul(weights, embeddings) / ops.sum(weights, axis=1, keepdims=True)
    squared = ops.sum(ops.square(embeddings[:, None] - prototypes[None, :]), axis=-1)
    own = ops.sum(ops.square(embeddings - prototypes), axis=-1)
    unique = ops.cast(earlier < 1, "float32")
    losses = ops.logsumexp(-squared - 1e9 * (1 - unique[None, :]), axis=1) + own
    query = 1 - example
    return ops.sum(losses * query) / ops.sum(query)
