# expects: the result is not Dense-ReLU, Dense-ReLU, Dense
def build_encoder(dim=2):
    image = keras.Input((784,))
    x = keras.layers.Dense(1024, activation="gelu")(image)
    x = keras.layers.Dense(1024, activation="gelu")(x)
    return keras.Model(image, keras.layers.Dense(dim)(x))
