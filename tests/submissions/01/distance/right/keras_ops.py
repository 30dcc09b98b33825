def euclidean_distance(left, right):
    difference = ops.subtract(left, right)
    squared = ops.einsum("bd,bd->b", difference, difference)
    return ops.sqrt(squared + 1e-6)
