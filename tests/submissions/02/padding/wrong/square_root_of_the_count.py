# expects: A value is off
# divides the sum by the square root of the number of words (as some sentence encoders do) instead of the number, which is no mean; shown by any question with two or more words.
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(ops.not_equal(words, 1), values.dtype), -1)
    # Sqrt-n pooling: the variance doesn't depend on the length
    return ops.sum(values * real, axis=1) / ops.sqrt(ops.sum(real, axis=1))
