def masked_mean(words, values):
    real = ops.not_equal(words, 1)
    nothing = ops.zeros_like(values)
    kept = ops.where(ops.expand_dims(real, axis=-1), values, nothing)
    count = ops.sum(ops.cast(real, values.dtype), axis=1, keepdims=True)
    return ops.divide(ops.sum(kept, axis=1), count)
