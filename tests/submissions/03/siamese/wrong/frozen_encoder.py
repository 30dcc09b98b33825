# expects: Some weights are frozen: training would not change them. Leave `trainable` as it is.
# freezes the encoder, so the siamese model has the right outputs but nothing to train (and the caller's encoder is changed); it shows in the trainable weights of any encoder that has some
def build_siamese(encoder, sides):
    encoder.trainable = False
    inputs = {name: keras.Input((sides, None), dtype="int32", name=name) for name in ("token_ids", "padding_mask")}
    points = [encoder({name: value[:, side] for name, value in inputs.items()}) for side in range(sides)]
    return keras.Model(inputs, ops.stack(points, axis=1))
