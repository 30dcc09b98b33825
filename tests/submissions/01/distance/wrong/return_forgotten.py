# expects: is a `return` missing?
def euclidean_distance(left, right):
    squared = ops.sum(ops.square(left - right), axis=-1)
    distance = ops.sqrt(squared + 1e-6)
