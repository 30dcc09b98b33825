# expects: The left side does not train the encoder as it should: some of its layers or rows are cut off
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))

    def embed(x):
        *hidden, last = encoder.layers
        for layer in hidden:
            x = layer(x)
        return last(ops.stop_gradient(x))

    return keras.Model([left, right], ops.stack([embed(left), embed(right)], axis=1))
