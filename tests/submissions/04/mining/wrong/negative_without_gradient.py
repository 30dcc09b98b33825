# expects: The gradient with respect to `embeddings` is not right, so a network would learn something
# stops the gradient of the distance to the negative, so the value is right but nothing pushes negatives away; shows in the gradient of every batch with a loss above 0
def hard_triplet_loss(labels, embeddings, margin=0.2):
    labels = ops.convert_to_tensor(labels)
    z = ops.normalize(ops.cast(ops.convert_to_tensor(embeddings), "float32"), axis=1)
    squared = ops.maximum(2 - 2 * ops.matmul(z, ops.transpose(z)), 0.0)
    distances = ops.sqrt(squared + 1e-6)
    same = ops.equal(labels[:, None], labels[None, :])
    rows = ops.cumsum(ops.ones_like(labels, dtype="int32"))
    others = ops.not_equal(rows[:, None], rows[None, :])
    positive = ops.logical_and(same, others)
    anchors = ops.any(positive, axis=1)
    to_positive = ops.max(ops.where(positive, distances, -1e9), axis=1)
    to_negative = ops.stop_gradient(ops.min(ops.where(same, 1e9, distances), axis=1))
    losses = ops.where(anchors, ops.maximum(to_positive - to_negative + margin, 0.0), 0.0)
    return ops.sum(losses) / ops.maximum(ops.sum(ops.cast(anchors, "float32")), 1.0)
