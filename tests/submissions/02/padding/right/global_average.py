def masked_mean(words, values):
    mask = ops.not_equal(words, 1)
    return keras.layers.GlobalAveragePooling1D()(values, mask=mask)
