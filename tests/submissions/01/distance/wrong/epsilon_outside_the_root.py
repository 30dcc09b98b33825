# expects: The epsilon is outside the square root
def euclidean_distance(left, right):
    return ops.sqrt(ops.sum((left - right) ** 2, axis=-1)) + 1e-6
