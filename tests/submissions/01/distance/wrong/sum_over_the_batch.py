# expects: The sum runs over the batch (axis 0)
def euclidean_distance(left, right):
    squared = ops.sum(ops.square(left - right), axis=0)
    return ops.sqrt(squared + 1e-6)
