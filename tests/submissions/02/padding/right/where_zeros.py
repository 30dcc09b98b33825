def masked_mean(words, values):
    is_word = ops.expand_dims(ops.not_equal(words, 1), axis=-1)
    kept = ops.where(is_word, values, ops.zeros_like(values))
    how_many = ops.sum(ops.cast(is_word, values.dtype), axis=1, keepdims=True)
    return ops.sum(kept / how_many, axis=1)
