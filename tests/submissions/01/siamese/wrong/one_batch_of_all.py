# expects: The output has shape
# both sides in one batch, and not taken apart again
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], encoder(ops.concatenate([left, right], axis=0)))
