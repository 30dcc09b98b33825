# expects: The right side does not train the encoder
# a second network with the same start, in a model that lies about its weights


class OnlyOne(keras.Model):
    @property
    def weights(self):
        return self.layers[2].weights


def build_siamese(encoder):
    second = keras.Sequential(
        [
            keras.Input(encoder.input_shape[1:]),
            keras.layers.Dense(encoder.layers[0].units, activation="relu"),
            keras.layers.Dense(encoder.layers[1].units, activation="relu"),
            keras.layers.Dense(encoder.output_shape[-1]),
        ]
    )
    second.set_weights(encoder.get_weights())
    left, right = keras.Input((784,)), keras.Input((784,))
    return OnlyOne([left, right], ops.stack([encoder(left), second(right)], axis=1))
