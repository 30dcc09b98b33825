# expects: This is the maximum over the words.
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(ops.not_equal(words, 1), "float32"), -1)
    return ops.max(values - 1e9 * (1.0 - real), axis=1)
