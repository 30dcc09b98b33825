def build_siamese(encoder, sides):
    inputs = dict(
        token_ids=keras.Input((sides, None), dtype="int32", name="token_ids"),
        padding_mask=keras.Input((sides, None), dtype="int32", name="padding_mask"),
    )
    slabs = []
    for side in range(sides):
        one_side = {name: value[:, side, :] for name, value in inputs.items()}
        slabs.append(ops.expand_dims(encoder(one_side), axis=1))
    return keras.Model(inputs, ops.concatenate(slabs, axis=1))
