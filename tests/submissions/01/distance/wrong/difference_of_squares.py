# expects: contains NaN or infinity
# squares each side before subtracting
def euclidean_distance(left, right):
    squared = ops.sum(ops.square(left) - ops.square(right), axis=-1)
    return ops.sqrt(squared + 1e-6)
