# expects: There is a ReLU after the last layer
def build_encoder(dim=2):
    sizes = [1024, 1024, dim]
    hidden = [keras.layers.Dense(size, activation="relu") for size in sizes]
    return keras.Sequential([keras.Input((784,)), *hidden])
