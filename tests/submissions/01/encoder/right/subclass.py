class Encoder(keras.Model):
    def __init__(self, dim):
        super().__init__()
        self.hidden = [keras.layers.Dense(1024, activation="relu") for _ in range(2)]
        self.embedding = keras.layers.Dense(dim)

    def call(self, images):
        for layer in self.hidden:
            images = layer(images)
        return self.embedding(images)


def build_encoder(dim=2):
    model = Encoder(dim)
    model.build((None, 784))
    return model
