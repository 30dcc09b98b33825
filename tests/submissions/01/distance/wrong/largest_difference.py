# expects: A value is off
def euclidean_distance(left, right):
    return ops.max(ops.abs(left - right), axis=-1) + 1e-6
