def masked_mean(words, values):
    real = ops.cast(words != 1, "float32")
    weights = real / ops.sum(real, axis=1, keepdims=True)
    return ops.squeeze(ops.matmul(ops.expand_dims(weights, 1), values), 1)
