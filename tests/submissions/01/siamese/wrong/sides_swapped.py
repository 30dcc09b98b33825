# expects: Left and right are swapped in the output.
# stacks the right embedding first; shows for every pair of different images: output[:, 0] is the right image's embedding
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], ops.stack([encoder(right), encoder(left)], axis=1))
