def hard_triplet_loss(labels, embeddings, margin=0.2):
    """Sort each row of the table: the positive is the last, the negative the first."""
    unit = embeddings / ops.norm(embeddings, axis=-1, keepdims=True)
    squared = ops.sum(ops.square(unit[:, None] - unit[None]), axis=-1)
    apart = ops.sqrt(squared + 1e-6)
    same = ops.cast(labels[None] == labels[:, None], "float32")
    positive = ops.sort(apart * (same - ops.eye(len(labels))), axis=1)[:, -1]
    negative = ops.sort(apart + 5.0 * same, axis=1)[:, 0]
    counts = ops.cast(ops.sum(same, axis=1) > 1.5, "float32")
    pays = counts * ops.relu(margin + positive - negative)
    return ops.sum(pays) / ops.maximum(ops.sum(counts), 1.0)
