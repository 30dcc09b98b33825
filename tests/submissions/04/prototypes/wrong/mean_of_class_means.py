# expects: A value is off
def prototypical_loss(labels, embeddings, shots=1):
    labels = ops.reshape(labels, (-1,))
    equal = ops.cast(ops.equal(labels[:, None], labels[None, :]), "float32")
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    example = ops.cast(earlier < shots, "float32")
    prototypes = ops.matmul(equal * example[None, :], embeddings) / shots
    d2 = ops.sum(ops.square(embeddings[:, None] - prototypes[None]), axis=-1)
    own = ops.sum(ops.square(embeddings - prototypes), axis=-1)
    repeated = ops.cast(earlier > 0, "float32")
    row = own + ops.logsumexp(-d2 - 1e9 * repeated[None, :], axis=1)
    query = 1 - example
    of_class = (
        ops.matmul(equal, (row * query)[:, None])[:, 0] / ops.matmul(equal, query[:, None])[:, 0]
    )
    kept = 1 - repeated
    return ops.sum(of_class * kept) / ops.sum(kept)
