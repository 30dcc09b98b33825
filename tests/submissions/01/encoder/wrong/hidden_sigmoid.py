# expects: The hidden layers use sigmoid
def build_encoder(dim=2):
    model = keras.Sequential([keras.Input((784,))])
    for _ in range(2):
        model.add(keras.layers.Dense(1024, activation="sigmoid"))
    model.add(keras.layers.Dense(dim))
    return model
