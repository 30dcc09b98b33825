# expects: This takes the larger of the sum and
# takes the maximum of the sum and 1e-6 instead of adding 1e-6; rows 0.001 apart give 0.001 instead of 0.001414, and rows nearer than that get no gradient.
def euclidean_distance(left, right):
    squares = ops.sum(ops.square(left - right), axis=-1)
    return ops.sqrt(ops.maximum(squares, 1e-6))
