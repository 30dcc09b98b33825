# expects: Both sides are the left image's embedding: the other input is never used.
# encodes the left image for both sides; shows for every pair of different images
def build_siamese(encoder):
    left = keras.Input((784,))
    right = keras.Input((784,))
    left_embedding = encoder(left)
    right_embedding = encoder(left)
    return keras.Model([left, right], ops.stack([left_embedding, right_embedding], axis=1))
