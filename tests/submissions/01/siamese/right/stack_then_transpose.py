def build_siamese(encoder):
    sides = [keras.Input(shape=(784,)) for _ in range(2)]
    stacked = ops.stack(list(map(encoder, sides)), axis=0)
    return keras.Model(inputs=sides, outputs=ops.transpose(stacked, (1, 0, 2)))
