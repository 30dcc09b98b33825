# expects: The output has shape
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], keras.layers.Subtract()([encoder(left), encoder(right)]))
