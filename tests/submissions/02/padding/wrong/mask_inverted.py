# expects: This is the mean over the padding.
def masked_mean(words, values):
    pad = ops.expand_dims(ops.cast(ops.equal(words, 1), "float32"), -1)
    return ops.sum(values * pad, axis=1) / ops.maximum(ops.sum(pad, axis=1), 1.0)
