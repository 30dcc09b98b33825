# expects: All pairs were summed into one number
def euclidean_distance(left, right):
    squared = ops.sum(ops.square(left - right))
    return ops.sqrt(squared + 1e-6)
