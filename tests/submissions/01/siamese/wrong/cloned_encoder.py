# expects: The two sides do not share their weights
def build_siamese(encoder):
    left = keras.Input(encoder.input_shape[1:])
    right = keras.Input(encoder.input_shape[1:])
    twin = keras.models.clone_model(encoder)
    twin.set_weights(encoder.get_weights())
    return keras.Model([left, right], ops.stack([encoder(left), twin(right)], axis=1))
