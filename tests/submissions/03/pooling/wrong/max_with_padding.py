# expects: The padding is included, and it wins where it is large
def mean_pooling(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * real, axis=1) / ops.sum(real, axis=1)


def max_pooling(states, padding_mask):
    return keras.layers.GlobalMaxPooling1D()(states)


def cls_pooling(states, padding_mask):
    return states[:, 0]
