# expects: For brighter images, the result is not Dense-ReLU, Dense-ReLU, Dense: large values are cut
# relu6 is capped at 6, ReLU isn't; inputs (or trained weights) that make a hidden unit larger than 6.
def build_encoder(dim=2):
    inputs = keras.Input((784,))
    x = keras.layers.Dense(1024, activation="relu6")(inputs)
    x = keras.layers.Dense(1024, activation="relu6")(x)
    return keras.Model(inputs, keras.layers.Dense(dim)(x))
