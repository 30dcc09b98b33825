def masked_mean(words, values):
    real = ops.cast(ops.not_equal(words, 1), values.dtype)
    weights = real / ops.sum(real, axis=1, keepdims=True)
    return ops.squeeze(ops.matmul(ops.expand_dims(weights, 1), values), axis=1)
