# expects: The result has shape
# every left row against every right row
def euclidean_distance(left, right):
    difference = left[:, None] - right[None]
    return ops.sqrt(ops.sum(ops.square(difference), axis=-1) + 1e-6)
