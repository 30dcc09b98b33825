def euclidean_distance(left, right):
    difference = ops.subtract(left, right)
    return ops.sqrt(ops.einsum("bd,bd->b", difference, difference) + 1e-6)
