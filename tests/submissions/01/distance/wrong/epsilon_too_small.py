# expects: A value is off
def euclidean_distance(left, right):
    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + keras.config.epsilon())
