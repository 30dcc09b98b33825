def build_siamese(network):
    first, second = keras.Input((784,)), keras.Input((784,))
    pictures = ops.stack([first, second], axis=1)
    return keras.Model([first, second], keras.layers.TimeDistributed(network)(pictures))
