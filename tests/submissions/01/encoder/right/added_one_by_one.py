def build_encoder(dim=2):
    model = keras.Sequential()
    model.add(keras.Input(shape=(28 * 28,)))
    for _ in range(2):
        model.add(keras.layers.Dense(units=2**10, activation="relu", use_bias=True))
    model.add(keras.layers.Dense(units=dim, activation="linear"))
    return model
