def build_encoder(dim=2):
    model = keras.models.Sequential(name="encoder")
    model.add(keras.layers.InputLayer(shape=(784,)))
    model.add(keras.layers.Dense(1024, activation="relu", kernel_initializer="he_normal"))
    model.add(keras.layers.Dense(1024, activation="relu", kernel_initializer="he_normal"))
    model.add(keras.layers.Dense(dim, activation=None))
    return model
