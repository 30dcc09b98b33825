def build_siamese(encoder, sides):
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    rows = []
    for side in range(sides):
        row = encoder({name: inputs[name][:, side] for name in inputs})
        rows.append(keras.layers.Reshape((1, -1))(row))
    return keras.Model(inputs, keras.layers.Concatenate(axis=1)(rows))
