# expects: The distances are squared: the square root is missing.
# compares squared distances, as in the FaceNet paper, instead of distances with the root; most batches whose loss is not 0.
def hard_triplet_loss(labels, embeddings, margin=0.2):
    z = ops.normalize(embeddings, axis=-1)
    # The order of the distances doesn't change, and a square needs no epsilon
    distances = ops.maximum(2.0 - 2.0 * ops.matmul(z, ops.transpose(z)), 0.0)
    same = ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0))
    others = ops.cast(same, "float32")
    others = ops.tril(others, -1) + ops.triu(others, 1)
    anchors = ops.max(others, axis=1)
    positive = ops.max(distances * others, axis=1)
    negative = ops.min(ops.where(same, 1e9, distances), axis=1)
    loss = anchors * ops.relu(positive - negative + margin)
    return ops.sum(loss) / ops.maximum(ops.sum(anchors), 1.0)
