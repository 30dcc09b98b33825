# expects: The epsilon is outside the square root, where it does not help: the gradient of `sqrt` is
# adds epsilon after the square root, so two equal embeddings are 1e-6 apart instead of 1e-3 and their gradient is NaN
def euclidean_distance(left, right):
    squared = ops.sum(ops.square(left - right), axis=1)
    return ops.sqrt(squared) + 1e-6
