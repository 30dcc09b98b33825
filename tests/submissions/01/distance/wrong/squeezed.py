# expects: The result has shape (); expected (
# squeezes all axes of length 1; a batch with a single pair gives shape () instead of (1,).
def euclidean_distance(left, right):
    squared = ops.sum(ops.square(left - right), axis=-1, keepdims=True)
    return ops.squeeze(ops.sqrt(squared + 1e-6))
