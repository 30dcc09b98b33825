# expects: Stack them along a new axis 1
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    both = keras.layers.Concatenate()([encoder(left), encoder(right)])
    return keras.Model([left, right], both)
