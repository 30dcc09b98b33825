class Apart(layers.Layer):
    def call(self, a, b):
        return ops.maximum(a - b, b - a)


def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:], name=name) for name in ("left", "right"))
    probability = layers.Dense(1, activation=keras.activations.sigmoid, name="probability")
    return keras.Model([left, right], probability(Apart()(encoder(left), encoder(right))))
