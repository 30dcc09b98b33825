def build_encoder(dim=2):
    image = keras.Input(shape=(784,), name="image")
    x = keras.layers.Dense(1024)(image)
    x = keras.layers.ReLU()(x)
    x = keras.layers.Dense(1024)(x)
    x = keras.layers.Activation("relu")(x)
    return keras.Model(inputs=image, outputs=keras.layers.Dense(dim, activation="linear")(x))
