class Siamese(keras.Model):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def call(self, inputs, training=None):
        _, sides, length = ops.shape(inputs["token_ids"])
        flat = {name: ops.reshape(ids, (-1, length)) for name, ids in inputs.items()}
        rows = self.encoder(flat, training=training)
        return ops.reshape(rows, (-1, sides, rows.shape[-1]))


def build_siamese(encoder, sides):
    return Siamese(encoder)
