# expects: The sum is divided by all words of the batch. Every question has its own number of words:
# divides by the number of real words in the whole batch (the axis is missing) instead of in each question; shows for every batch of more than one question
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(ops.not_equal(words, 1), values.dtype), -1)
    return ops.sum(ops.multiply(values, real), axis=1) / ops.sum(real)
