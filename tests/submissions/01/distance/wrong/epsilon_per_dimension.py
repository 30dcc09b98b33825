# expects: A value is off
# adds 1e-6 to every squared difference before the sum; two equal rows of dim 100 are 0.01 apart instead of 0.001.
def euclidean_distance(left, right):
    return ops.sqrt(ops.sum(ops.square(left - right) + 1e-6, axis=1))
