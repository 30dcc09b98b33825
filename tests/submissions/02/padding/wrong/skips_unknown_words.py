# expects: Unknown words, id
# counts only ids above 1, so the unknown word 0 is treated like padding; shown by a question with an id 0 (one of only unknown words gives NaN).
def masked_mean(words, values):
    real = ops.expand_dims(ops.cast(ops.greater(words, 1), values.dtype), -1)
    return ops.sum(values * real, axis=1) / ops.sum(real, axis=1)
