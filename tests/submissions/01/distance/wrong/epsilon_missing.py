# expects: The epsilon is missing: at distance 0
def euclidean_distance(left, right):
    return ops.norm(left - right, axis=-1)
