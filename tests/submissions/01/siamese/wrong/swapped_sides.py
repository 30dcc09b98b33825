# expects: Left and right are swapped in the output.
# the inputs are [left, right], but output[:, 0] is the right image's embedding and output[:, 1] the left one's; two different images show it.
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], ops.stack([encoder(right), encoder(left)], axis=1))
