class Encoder(keras.Sequential):
    """A Sequential that knows its layers."""

    def __init__(self, dim, units=(1024, 1024)):
        super().__init__()
        self.add(keras.Input((784,)))
        for width in units:
            self.add(keras.layers.Dense(width, "relu"))
        self.add(keras.layers.Dense(dim))


def build_encoder(dim=2):
    return Encoder(dim)
