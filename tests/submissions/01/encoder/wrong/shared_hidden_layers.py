# expects: Two calls return encoders with the same weights, so training one changes the other. Make n
# the hidden layers are created once, outside the function, so all encoders share them; shows on the second call: training one encoder changes the other
first_hidden = keras.layers.Dense(1024, activation="relu")
second_hidden = keras.layers.Dense(1024, activation="relu")


def build_encoder(dim=2):
    return keras.Sequential([keras.Input((784,)), first_hidden, second_hidden, keras.layers.Dense(dim)])
