# expects: the square root is missing
def euclidean_distance(left, right):
    return ops.sum(ops.square(left - right), axis=-1)
