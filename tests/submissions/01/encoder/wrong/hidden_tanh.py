# expects: The hidden layers use tanh; expected ReLU
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="tanh"),
            keras.layers.Dense(1024, activation="tanh"),
            keras.layers.Dense(dim),
        ]
    )
