# expects: Your code stopped with `ValueError` in line
# the inputs are always 28 x 28, whatever the encoder's height and width; an encoder of 16 x 16 images can't be used.
def build_verifier(encoder):
    left, right = keras.Input((28, 28, 1)), keras.Input((28, 28, 1))
    gap = ops.abs(encoder(left) - encoder(right))
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(gap))
