# expects: is still in your code: delete it
def euclidean_distance(left, right):
    squared = ops.sum(ops.square(left - right), axis=-1)
    # YOUR CODE HERE
    raise NotImplementedError("not attempted")
    return ops.sqrt(squared + 1e-6)
