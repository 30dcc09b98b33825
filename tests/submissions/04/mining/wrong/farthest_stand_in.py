# expects: A value is off
# without a negative, it compares with distance 2, "the largest there is", instead of returning 0; a batch of one class with two opposite vectors has the loss 0.2 instead of 0.
def hard_triplet_loss(labels, embeddings, margin=0.2):
    z = ops.normalize(embeddings, axis=-1)
    squared = ops.maximum(2.0 - 2.0 * ops.matmul(z, ops.transpose(z)), 0.0)
    distances = ops.sqrt(squared + 1e-6)
    same = ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0))
    others = ops.cast(same, "float32")
    others = ops.tril(others, -1) + ops.triu(others, 1)
    anchors = ops.max(others, axis=1)
    positive = ops.max(distances * others, axis=1)
    negative = ops.min(ops.where(same, 2.0, distances), axis=1)
    loss = anchors * ops.relu(positive - negative + margin)
    return ops.sum(loss) / ops.maximum(ops.sum(anchors), 1.0)
