def build_encoder(dim=2):
    table = [(1024, "relu"), (1024, "relu"), (dim, None)]
    model = keras.Sequential([keras.layers.Input(shape=(784,))])
    for units, activation in table:
        model.add(keras.layers.Dense(units, activation=activation))
    return model
