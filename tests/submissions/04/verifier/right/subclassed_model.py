class Verifier(keras.Model):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.head = layers.Dense(1, activation="sigmoid")

    def call(self, inputs, training=None):
        left, right = inputs
        return self.head(ops.abs(self.encoder(left) - self.encoder(right)))


def build_verifier(encoder):
    verifier = Verifier(encoder)
    blank = np.zeros((1, *encoder.input_shape[1:]), dtype="float32")
    verifier([blank, blank])
    return verifier
