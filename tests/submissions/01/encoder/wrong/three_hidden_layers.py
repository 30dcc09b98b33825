# expects: dense layers; expected 3: two hidden ones and the embedding
def build_encoder(dim=2):
    hidden = [keras.layers.Dense(1024, activation="relu") for _ in range(3)]
    return keras.Sequential([keras.Input((784,)), *hidden, keras.layers.Dense(dim)])
