class Twins(keras.layers.Layer):
    """Applies one encoder to both sides."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def call(self, left, right):
        return ops.stack([self.encoder(left), self.encoder(right)], axis=1)


def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], Twins(encoder)(left, right))
