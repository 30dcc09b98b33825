# expects: Positives and negatives are swapped
def hard_triplet_loss(labels, embeddings, margin=0.2):
    unit = ops.normalize(embeddings, axis=-1)
    apart = ops.sqrt(ops.maximum(2.0 - 2.0 * ops.matmul(unit, ops.transpose(unit)), 0.0) + 1e-6)
    equal = ops.cast(labels[:, None] == labels, "float32")
    partners = equal - ops.eye(len(labels))
    positive = ops.max(apart - 1e3 * equal, axis=1)
    negative = ops.min(apart + 1e3 * (1.0 - partners), axis=1)
    anchors = ops.max(partners, axis=1)
    rows = ops.maximum(0.0, positive - negative + margin)
    return ops.sum(anchors * rows) / ops.maximum(ops.sum(anchors), 1.0)
