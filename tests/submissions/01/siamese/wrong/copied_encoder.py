# expects: The two sides do not share their weights: there is a second network in the model. Call the
# the right side has its own copy of the encoder that only starts with the same weights; shows in the number of weights and after the encoder's weights change
def build_siamese(encoder):
    twin = keras.models.clone_model(encoder)
    twin.set_weights(encoder.get_weights())
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], ops.stack([encoder(left), twin(right)], axis=1))
