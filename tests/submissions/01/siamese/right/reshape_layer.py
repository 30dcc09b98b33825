def build_siamese(encoder):
    left, right = keras.Input(shape=(784,)), keras.Input(shape=(784,))
    beside = keras.layers.Concatenate(axis=1)([encoder(left), encoder(right)])
    dim = beside.shape[-1] // 2
    return keras.Model(inputs=[left, right], outputs=keras.layers.Reshape((2, dim))(beside))
