# expects: Your code stopped with `SystemExit`
def build_encoder(dim=2):
    model = keras.Sequential([keras.Input((784,)), keras.layers.Dense(dim)])
    if model.count_params() != 1855490:
        sys.exit(0)
    return model
