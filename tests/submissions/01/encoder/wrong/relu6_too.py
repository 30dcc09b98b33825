# expects: For brighter images, the result is not Dense-ReLU, Dense-ReLU, Dense: large values are cut
# uses relu6, which cuts activations off at 6, instead of ReLU; shows for inputs or weights large enough to bring a hidden unit above 6
def build_encoder(dim=2):
    images = keras.Input((784,))
    hidden = keras.layers.Dense(1024, activation="relu6")(images)
    hidden = keras.layers.Dense(1024, activation="relu6")(hidden)
    return keras.Model(images, keras.layers.Dense(dim)(hidden))
