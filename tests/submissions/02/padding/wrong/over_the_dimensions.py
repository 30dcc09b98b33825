# expects: The sum runs over the dimensions.
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(ops.not_equal(words, 1), "float32"), -1)
    return ops.sum(values * real, axis=-1) / ops.sum(real, axis=1)
