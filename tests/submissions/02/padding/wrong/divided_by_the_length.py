# expects: it still counts: the sum is divided by the padded length.
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(ops.not_equal(words, 1), "float32"), -1)
    return ops.mean(values * real, axis=1)
