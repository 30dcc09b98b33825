def hard_triplet_loss(labels, embeddings, margin=0.2):
    labels = ops.convert_to_tensor(labels)
    vectors = ops.cast(ops.convert_to_tensor(embeddings), "float32")
    z = vectors * ops.rsqrt(ops.maximum(ops.sum(ops.square(vectors), axis=1, keepdims=True), 1e-24))
    gaps = z[:, None, :] - z[None, :, :]
    distances = ops.sqrt(ops.sum(ops.square(gaps), axis=-1) + 1e-6)
    same = ops.cast(ops.equal(labels[:, None], labels[None, :]), "float32")
    farthest = ops.max(same * distances, axis=1)
    nearest = ops.min(distances + 1e9 * same, axis=1)
    anchor = ops.cast(ops.greater(ops.sum(same, axis=1), 1.5), "float32")
    paid = anchor * ops.relu(farthest - nearest + margin)
    return ops.sum(paid) / ops.maximum(ops.sum(anchor), 1.0)
