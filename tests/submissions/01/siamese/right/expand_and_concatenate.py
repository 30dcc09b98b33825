def build_siamese(encoder):
    inputs = [keras.Input(encoder.input_shape[1:]) for _ in range(2)]
    points = [ops.expand_dims(encoder(picture), axis=1) for picture in inputs]
    return keras.Model(inputs, ops.concatenate(points, axis=1))
