# expects: Your code stopped with
def masked_mean(words, values):
    real = ops.cast(ops.not_equal(words, 1), "float32")
    return ops.sum(values * real, axis=1) / ops.sum(real, axis=1)
