def build_siamese(encoder):
    sides = [keras.Input((784,), name=name) for name in ("left_image", "right_image")]
    points = [ops.expand_dims(encoder(side), axis=1) for side in sides]
    return keras.Model(sides, ops.concatenate(points, axis=1))
