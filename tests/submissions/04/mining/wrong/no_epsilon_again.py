# expects: The epsilon is missing under the root: where two embeddings are equal, as each is with its
# the square root has no epsilon; the distance of each row to itself is sqrt(0), so the gradient is NaN, for example with the rows [1, 0], [1, 0], [0, 1].
def hard_triplet_loss(labels, embeddings, margin=0.2):
    embeddings = ops.cast(embeddings, "float32")
    z = embeddings / ops.sqrt(
        ops.maximum(ops.sum(ops.square(embeddings), axis=1, keepdims=True), 1e-24)
    )
    labels = ops.convert_to_tensor(labels)
    equal = ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0))
    distances = ops.sqrt(ops.maximum(2.0 - 2.0 * ops.matmul(z, ops.transpose(z)), 0.0))
    positive = ops.max(ops.where(equal, distances, 0.0), axis=1)
    negative = ops.min(ops.where(equal, 1e9, distances), axis=1)
    anchors = ops.cast(ops.sum(ops.cast(equal, "float32"), axis=1) > 1.5, "float32")
    loss = ops.maximum(positive - negative + margin, 0.0)
    return ops.sum(anchors * loss) / ops.maximum(ops.sum(anchors), 1.0)
