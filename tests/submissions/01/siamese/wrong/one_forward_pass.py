# expects: The embeddings are right, but they are not in the rows and sides of their inputs: `reshape
# encodes left above right in one batch, and the reshape then pairs neighboring rows of the same side; any batch of two or more pairs.
def build_siamese(encoder):
    left = keras.Input((784,))
    right = keras.Input((784,))
    points = encoder(ops.concatenate([left, right], axis=0))
    return keras.Model([left, right], ops.reshape(points, (-1, 2, points.shape[-1])))
