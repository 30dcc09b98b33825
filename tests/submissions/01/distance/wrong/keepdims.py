# expects: leave out `keepdims`
def euclidean_distance(left, right):
    squared = ops.sum(ops.square(left - right), axis=1, keepdims=True)
    return ops.sqrt(squared + 1e-6)
