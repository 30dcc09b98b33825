# expects: A value is off
def euclidean_distance(left, right):
    return ops.ones(len(left))
