# expects: A value is off
# adds epsilon inside the sum, once per dimension; shows for equal or very close embeddings with dim > 1, sqrt(dim * 1e-6) instead of 1e-3
def euclidean_distance(left, right):
    return ops.sqrt(ops.sum((left - right) ** 2 + 1e-6, axis=-1))
