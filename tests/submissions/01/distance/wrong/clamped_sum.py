# expects: This takes the larger of the sum and
# the sum is clamped to 1e-6 instead of 1e-6 being added; rows 0.001 apart get 0.001 instead of 0.00141.
def euclidean_distance(left, right):
    squared = ops.sum(ops.square(ops.subtract(left, right)), axis=-1)
    return ops.sqrt(ops.maximum(squared, 1e-6))
