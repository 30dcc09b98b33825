def hard_triplet_loss(labels, embeddings, margin=0.2):
    labels = ops.convert_to_tensor(labels)
    z = ops.normalize(ops.cast(ops.convert_to_tensor(embeddings), "float32"), axis=-1)
    cosines = ops.einsum("id,jd->ij", z, z)
    distances = ops.sqrt(ops.relu(2.0 - 2.0 * cosines) + 1e-6)

    rows = ops.cumsum(ops.ones_like(labels, dtype="int32"))
    same = ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0))
    partner = ops.logical_and(same, ops.not_equal(rows[:, None], rows[None, :]))
    stranger = ops.logical_not(same)

    def pick(indices):
        return ops.take_along_axis(distances, indices[:, None], axis=1)[:, 0]

    far = pick(ops.argmax(ops.where(partner, distances, -1.0), axis=1))
    near = pick(ops.argmin(ops.where(stranger, distances, 9.0), axis=1))
    anchor = ops.any(partner, axis=1)
    complete = ops.logical_and(anchor, ops.any(stranger, axis=1))
    paid = ops.where(complete, ops.relu(far - near + margin), 0.0)
    return ops.sum(paid) / ops.maximum(ops.sum(ops.cast(anchor, "float32")), 1.0)
