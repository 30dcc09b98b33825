# expects: A value is off
# the epsilon is inside the sum, so it is added once for each dimension
def euclidean_distance(left, right):
    return ops.sqrt(ops.sum(ops.square(left - right) + 1e-6, axis=-1))
