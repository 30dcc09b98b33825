# expects: no other layer, no activation
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    embeddings = ops.stack([encoder(left), encoder(right)], axis=1)
    return keras.Model([left, right], keras.layers.ReLU()(embeddings))
