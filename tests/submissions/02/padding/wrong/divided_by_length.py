# expects: The padding is not in the sum, but it still counts: the sum is divided by the padded lengt
# masks the sum, but divides by the padded length (a mean over axis 1) instead of by the number of real words; shows for every question with padding
def masked_mean(words, values):
    real = ops.cast(ops.not_equal(words, 1), values.dtype)
    return ops.mean(ops.multiply(values, ops.expand_dims(real, -1)), axis=1)
