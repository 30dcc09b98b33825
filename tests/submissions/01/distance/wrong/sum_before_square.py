# expects: The differences are summed before they are squared
# sums the differences, and only then squares
def euclidean_distance(left, right):
    return ops.sqrt(ops.square(ops.sum(left - right, axis=-1)) + 1e-6)
