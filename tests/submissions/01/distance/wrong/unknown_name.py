# expects: Your code stopped with `NameError`
def euclidean_distance(left, right):
    return square_root(ops.sum(ops.square(left - right), axis=-1) + 1e-6)
