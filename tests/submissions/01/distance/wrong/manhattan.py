# expects: This is the Manhattan distance
def euclidean_distance(left, right):
    return ops.sum(ops.abs(left - right), axis=-1)
