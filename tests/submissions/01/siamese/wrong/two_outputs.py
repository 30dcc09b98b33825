# expects: outputs; expected one: both embeddings, stacked
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], [encoder(left), encoder(right)])
