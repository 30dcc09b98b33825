def build_verifier(encoder):
    shape = tuple(encoder.inputs[0].shape)[1:]
    pair = [keras.Input(shape=shape), keras.Input(shape=shape)]
    a, b = [encoder(image) for image in pair]
    logit = layers.Dense(1)(ops.absolute(ops.subtract(a, b)))
    return keras.Model(inputs=pair, outputs=ops.sigmoid(logit))
