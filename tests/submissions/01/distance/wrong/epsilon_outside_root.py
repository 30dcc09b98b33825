# expects: The epsilon is outside the square root, where it does not help: the gradient of `sqrt` is
# the 1e-6 is added after the root, not under it; two equal rows give 1e-6 instead of 1e-3, and a NaN gradient.
def euclidean_distance(left, right):
    squares = ops.square(left - right)
    return ops.sqrt(ops.sum(squares, axis=1)) + 1e-6
