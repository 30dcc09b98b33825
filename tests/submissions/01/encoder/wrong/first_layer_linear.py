# expects: The first hidden layer has no ReLU.
def build_encoder(dim=2):
    dense = keras.layers.Dense
    return keras.Sequential([keras.Input((784,)), dense(1024), dense(1024, "relu"), dense(dim)])
