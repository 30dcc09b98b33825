# expects: The result is `None`: is a `return` missing?
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(ops.not_equal(words, 1), "float32"), -1)
    ops.sum(values * real, axis=1) / ops.sum(real, axis=1)
