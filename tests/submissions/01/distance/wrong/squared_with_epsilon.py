# expects: This is the *squared* distance
def euclidean_distance(left, right):
    difference = left - right
    return ops.sum(difference * difference, axis=-1) + 1e-6
