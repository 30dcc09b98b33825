# expects: The encoder's layers are called one by one. That is right only for layers in a row: call t
# calls the encoder's layers in a row instead of the encoder; an encoder with a skip connection gives other embeddings, or an error.
def build_siamese(encoder):
    def encode(x):
        for layer in encoder.layers:
            if not isinstance(layer, keras.layers.InputLayer):
                x = layer(x)
        return x

    left = keras.Input((784,))
    right = keras.Input((784,))
    return keras.Model([left, right], ops.stack([encode(left), encode(right)], axis=1))
