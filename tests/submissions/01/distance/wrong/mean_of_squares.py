# expects: The squares are averaged over the dimensions
def euclidean_distance(left, right):
    return ops.sqrt(ops.mean(ops.square(left - right), axis=-1) + 1e-6)
