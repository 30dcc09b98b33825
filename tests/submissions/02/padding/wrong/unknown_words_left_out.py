# expects: Unknown words, id 0, are left out too.
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(words > 1, "float32"), -1)
    return ops.sum(values * real, axis=1) / ops.sum(real, axis=1)
