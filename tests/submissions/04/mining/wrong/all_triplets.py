# expects: the mean over all triplets
def hard_triplet_loss(labels, embeddings, margin=0.2):
    unit = ops.normalize(embeddings, axis=-1)
    apart = ops.sqrt(ops.maximum(2.0 - 2.0 * ops.matmul(unit, ops.transpose(unit)), 0.0) + 1e-6)
    equal = ops.cast(labels[:, None] == labels, "float32")
    partners = equal - ops.eye(len(labels))
    triplets = partners[:, :, None] * (1.0 - equal)[:, None]
    pays = ops.maximum(0.0, apart[:, :, None] - apart[:, None] + margin)
    return ops.sum(triplets * pays) / ops.maximum(ops.sum(triplets), 1.0)
