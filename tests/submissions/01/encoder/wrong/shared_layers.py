# expects: Two calls return encoders with the same weights, so training one changes the other. Make n
# the hidden layers are made once, outside of the function, so all encoders share them; after two calls, changing the first encoder's weights changes the second encoder's output.
hidden_layers = [
    keras.layers.Dense(1024, activation="relu"),
    keras.layers.Dense(1024, activation="relu"),
]


def build_encoder(dim=2):
    images = keras.Input((784,))
    values = images
    for layer in hidden_layers:
        values = layer(values)
    return keras.Model(images, keras.layers.Dense(dim)(values))
