# expects: The hidden layers have no activation
def build_encoder(dim=2):
    model = keras.Sequential()
    model.add(keras.Input((784,)))
    model.add(keras.layers.Dense(1024))
    model.add(keras.layers.Dense(1024))
    model.add(keras.layers.Dense(dim))
    return model
