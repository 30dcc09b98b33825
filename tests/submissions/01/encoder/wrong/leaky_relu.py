# expects: The layers have the right sizes, but the result is not Dense-ReLU, Dense-ReLU, Dense. Does
# the hidden units are leaky ReLU, not ReLU; hidden values below 0 leak through with slope 0.2, on any input.
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="leaky_relu"),
            keras.layers.Dense(1024, activation="leaky_relu"),
            keras.layers.Dense(dim),
        ]
    )
