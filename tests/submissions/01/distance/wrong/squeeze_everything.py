# expects: The result has shape (); expected (
# squeezes all axes of length one, so a batch of one row returns shape () instead of (1,)
def euclidean_distance(left, right):
    squared = ops.sum(ops.square(left - right), axis=1, keepdims=True)
    return ops.squeeze(ops.sqrt(squared + 1e-6))
