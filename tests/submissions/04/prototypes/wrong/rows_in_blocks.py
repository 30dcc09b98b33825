# expects: A value is off
# assumes that the classes come one after another in blocks of equal size; shows when the labels are mixed or the classes differ in size
def prototypical_loss(labels, embeddings, shots=1):
    labels = ops.convert_to_tensor(labels)
    embeddings = ops.cast(ops.convert_to_tensor(embeddings), "float32")
    equal = ops.cast(ops.equal(labels[:, None], labels[None, :]), "float32")
    per_class = ops.sum(equal[0])
    position = ops.cumsum(ops.ones_like(equal[0])) - 1
    earlier = ops.mod(position, per_class)
    example = ops.cast(earlier < shots, "float32")
    prototypes = ops.matmul(equal * example[None, :], embeddings) / shots
    squared = ops.sum(ops.square(embeddings[:, None] - prototypes[None, :]), axis=-1)
    own = ops.sum(ops.square(embeddings - prototypes), axis=-1)
    unique = ops.cast(earlier < 1, "float32")
    losses = ops.logsumexp(-squared - 1e9 * (1 - unique[None, :]), axis=1) + own
    query = 1 - example
    return ops.sum(losses * query) / ops.sum(query)
