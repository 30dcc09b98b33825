# expects: Every position still has a vector of its own.
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(ops.not_equal(words, 1), "float32"), -1)
    return values * real
