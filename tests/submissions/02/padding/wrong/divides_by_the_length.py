# expects: The padding is not in the sum, but it still counts: the sum is divided by the padded lengt
# zeros the padding but divides by the whole length instead of the number of real words; shown by any question with padding.
def masked_mean(words, values):
    real = ops.cast(ops.not_equal(words, 1), values.dtype)
    return ops.mean(values * ops.expand_dims(real, -1), axis=1)
