def hard_triplet_loss(labels, embeddings, margin=0.2):
    labels, embeddings = ops.convert_to_tensor(labels), ops.convert_to_tensor(embeddings)
    lengths = ops.sqrt(ops.maximum(ops.sum(embeddings * embeddings, axis=-1, keepdims=True), 1e-24))
    z = embeddings / lengths
    differences = ops.expand_dims(z, 0) - ops.expand_dims(z, 1)
    distances = ops.sqrt(ops.sum(ops.square(differences), axis=-1) + 1e-6)
    same = ops.cast(
        ops.equal(ops.expand_dims(labels, 0), ops.expand_dims(labels, 1)), distances.dtype
    )
    partners = ops.tril(same, -1) + ops.triu(same, 1)
    positive = ops.max(distances - 1000.0 * (1.0 - partners), axis=1)
    negative = ops.min(distances + 1000.0 * same, axis=1)
    anchors = ops.max(partners, axis=1)
    with_negative = ops.max(1.0 - same, axis=1)
    loss = anchors * with_negative * ops.relu(positive - negative + margin)
    return ops.sum(loss) / ops.maximum(ops.sum(anchors), 1.0)
