def build_encoder(dim=2):
    images = keras.Input(shape=(784,), name="image")
    hidden = images
    for _ in range(2):
        hidden = keras.layers.Dense(1024, activation=keras.activations.relu)(hidden)
    points = keras.layers.Dense(dim, activation=keras.activations.linear)(hidden)
    return keras.Model(inputs=images, outputs=points)
