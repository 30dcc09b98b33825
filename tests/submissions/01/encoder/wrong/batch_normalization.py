# expects: There is a layer with weights that is not Dense
def build_encoder(dim=2):
    model = keras.Sequential([keras.Input((784,))])
    for _ in range(2):
        model.add(keras.layers.Dense(1024))
        model.add(keras.layers.BatchNormalization())
        model.add(keras.layers.ReLU())
    model.add(keras.layers.Dense(dim))
    return model
