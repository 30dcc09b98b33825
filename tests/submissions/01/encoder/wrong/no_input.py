# expects: The model doesn't declare its input. Start a Sequential with `keras.Input((
# a Sequential model without the 784 inputs isn't built, so it has no weights yet; count_params() in the next cell fails.
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(dim),
        ]
    )
