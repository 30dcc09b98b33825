def euclidean_distance(left, right):
    difference = ops.subtract(left, right)
    thousandth = 0.001 * ops.ones_like(difference[:, :1])
    lifted = ops.concatenate([difference, thousandth], axis=-1)
    return ops.sqrt(ops.sum(lifted * lifted, axis=-1))
