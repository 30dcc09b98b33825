# expects: A value is off
# a missing negative counts as distance 2, the largest possible, so a batch with a single class can have a loss; two rows [1, 0] and [-1, 0] of one class give 0.2 instead of 0.
def hard_triplet_loss(labels, embeddings, margin=0.2):
    embeddings = ops.cast(embeddings, "float32")
    z = embeddings * ops.rsqrt(
        ops.maximum(ops.sum(ops.square(embeddings), axis=1, keepdims=True), 1e-24)
    )
    labels = ops.convert_to_tensor(labels)
    equal = ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0))
    distances = ops.sqrt(ops.maximum(2.0 - 2.0 * ops.matmul(z, ops.transpose(z)), 0.0) + 1e-6)
    positive = ops.max(ops.where(equal, distances, 0.0), axis=1)
    negative = ops.min(ops.where(equal, 2.0, distances), axis=1)
    anchors = ops.cast(ops.sum(ops.cast(equal, "float32"), axis=1) > 1.5, "float32")
    loss = ops.maximum(positive - negative + margin, 0.0)
    return ops.sum(anchors * loss) / ops.maximum(ops.sum(anchors), 1.0)
