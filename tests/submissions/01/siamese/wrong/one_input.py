# expects: The model has 1 inputs; expected 2
# one input that holds both pictures
def build_siamese(encoder):
    pictures = keras.Input((2, 784))
    left, right = encoder(pictures[:, 0]), encoder(pictures[:, 1])
    return keras.Model(pictures, ops.stack([left, right], axis=1))
