# expects: A row without a positive pays, as if its positive were at distance
# a row counts as its own positive, so rows without another row of their label are anchors, too; a batch in which a label occurs once.
def hard_triplet_loss(labels, embeddings, margin=0.2):
    z = ops.normalize(embeddings, axis=-1)
    squared = ops.maximum(2.0 - 2.0 * ops.matmul(z, ops.transpose(z)), 0.0)
    distances = ops.sqrt(squared + 1e-6)
    same = ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0))
    positive = ops.max(ops.where(same, distances, 0.0), axis=1)
    negative = ops.min(ops.where(same, 1e9, distances), axis=1)
    return ops.mean(ops.maximum(positive - negative + margin, 0.0))
