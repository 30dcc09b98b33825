# expects: A value is off
# takes the position of the first padding as the number of words, which argmax reports as 0 for a question without padding, so that question gets the sum instead of the mean
def masked_mean(words, values):
    padding = ops.cast(ops.equal(words, 1), "int32")
    real = ops.expand_dims(ops.cast(1 - padding, values.dtype), -1)
    length = ops.maximum(ops.argmax(padding, axis=1), 1)
    length = ops.expand_dims(ops.cast(length, values.dtype), -1)
    return ops.sum(ops.multiply(values, real), axis=1) / length
