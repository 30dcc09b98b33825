def build_siamese(encoder):
    left = keras.Input((784,), name="left")
    right = keras.Input((784,), name="right")
    rows = [keras.layers.Reshape((1, -1))(encoder(side)) for side in (left, right)]
    return keras.Model([left, right], keras.layers.Concatenate(axis=1)(rows))
