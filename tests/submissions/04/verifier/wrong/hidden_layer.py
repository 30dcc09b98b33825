# expects: one dense layer with one unit
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    apart = ops.abs(encoder(left) - encoder(right))
    return keras.Model(
        [left, right],
        layers.Dense(1, activation="sigmoid")(layers.Dense(8, activation="relu")(apart)),
    )
