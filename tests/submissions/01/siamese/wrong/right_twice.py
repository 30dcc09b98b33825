# expects: Both sides are the right image's embedding
# the second call overwrites the result of the first
def build_siamese(encoder):
    inputs = [keras.Input((784,)), keras.Input((784,))]
    for side in inputs:
        embedding = encoder(side)
    return keras.Model(inputs, ops.stack([embedding, embedding], axis=1))
