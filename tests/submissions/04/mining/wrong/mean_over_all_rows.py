# expects: The sum is divided by the size of the batch. Rows without a positive are not anchors: leav
# divides by the number of all rows, not of the anchors; labels [0, 0, 1] (row 2 has no partner) give two thirds of the loss.
def hard_triplet_loss(labels, embeddings, margin=0.2):
    embeddings = ops.cast(embeddings, "float32")
    z = embeddings * ops.rsqrt(
        ops.maximum(ops.sum(ops.square(embeddings), axis=1, keepdims=True), 1e-24)
    )
    labels = ops.convert_to_tensor(labels)
    equal = ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0))
    distances = ops.sqrt(ops.maximum(2.0 - 2.0 * ops.matmul(z, ops.transpose(z)), 0.0) + 1e-6)
    positive = ops.max(ops.where(equal, distances, 0.0), axis=1)
    negative = ops.min(ops.where(equal, 1e9, distances), axis=1)
    anchors = ops.cast(ops.sum(ops.cast(equal, "float32"), axis=1) > 1.5, "float32")
    loss = ops.maximum(positive - negative + margin, 0.0)
    return ops.mean(anchors * loss)
