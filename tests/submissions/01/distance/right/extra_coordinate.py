def euclidean_distance(left, right):
    difference = ops.subtract(left, right)
    extra = ops.full_like(difference[:, :1], 1e-3)
    return ops.norm(ops.concatenate([difference, extra], axis=1), axis=1)
