# expects: The two sides do not share their weights: there is a second network in the model. Call the
# the right side gets a copy of the encoder with equal weights at first, not the same encoder; after one training step the two sides differ, and the number of weights is doubled.
def build_siamese(encoder):
    twin = encoder.__class__.from_config({**encoder.get_config(), "name": "right_encoder"})
    twin.set_weights(encoder.get_weights())
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], ops.stack([encoder(left), twin(right)], axis=1))
