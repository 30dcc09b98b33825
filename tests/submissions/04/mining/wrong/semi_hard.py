# expects: This is semi-hard mining
def hard_triplet_loss(labels, embeddings, margin=0.2):
    unit = ops.normalize(embeddings, axis=-1)
    apart = ops.sqrt(ops.maximum(2.0 - 2.0 * ops.matmul(unit, ops.transpose(unit)), 0.0) + 1e-6)
    equal = ops.cast(labels[:, None] == labels, "float32")
    partners = equal - ops.eye(len(labels))
    others = apart + 1e3 * equal
    farther = ops.where(others[:, None] > apart[:, :, None], others[:, None], 1e3)
    nearest = ops.min(farther, axis=-1)
    farthest = ops.max(apart - 1e3 * equal, axis=1, keepdims=True)
    negative = ops.where(nearest < 1e3, nearest, farthest)
    partners = partners * ops.max(1.0 - equal, axis=1, keepdims=True)
    pays = ops.maximum(0.0, apart - negative + margin)
    return ops.sum(partners * pays) / ops.maximum(ops.sum(partners), 1.0)
