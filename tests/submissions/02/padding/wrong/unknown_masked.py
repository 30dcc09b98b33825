# expects: Unknown words, id
# takes only ids above 1 as real, so unknown words, with id 0, are left out as if they were padding
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(ops.greater(words, 1), values.dtype), -1)
    total = ops.sum(ops.multiply(values, real), axis=1)
    return total / ops.maximum(ops.sum(real, axis=1), 1.0)
