# expects: takes the larger of the sum
def euclidean_distance(left, right):
    squared = ops.sum(ops.square(left - right), axis=-1)
    return ops.sqrt(ops.maximum(squared, 1e-6))
