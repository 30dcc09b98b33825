def hard_triplet_loss(labels, embeddings, margin=0.2):
    """Choose both by argmax and argmin, then compute only these distances."""
    unit = ops.normalize(embeddings, axis=-1)
    cosines = unit @ ops.transpose(unit)
    equal = labels[:, None] == labels[None]
    nearest = ops.argmax(ops.where(equal, -2.0, cosines), axis=1)
    others = ops.where(ops.eye(len(labels)) > 0, 2.0, ops.where(equal, cosines, 2.0))
    farthest = ops.argmin(others, axis=1)

    def distance(places):
        return ops.sqrt(ops.sum(ops.square(unit - ops.take(unit, places, axis=0)), axis=1) + 1e-6)

    rows = ops.maximum(distance(farthest) - distance(nearest) + margin, 0.0)
    size = ops.sum(ops.cast(equal, "int32"), axis=1)
    anchors = ops.cast(ops.logical_and(size > 1, size < len(labels)), "float32")
    return ops.sum(rows * anchors) / ops.maximum(ops.sum(anchors), 1.0)
