# expects: This masks id 0, the unknown words.
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(words != 0, "float32"), -1)
    return ops.sum(values * real, axis=1) / ops.sum(real, axis=1)
