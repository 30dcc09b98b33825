def build_siamese(encoder, sides):
    token_ids = keras.Input(shape=(sides, None), dtype="int32", name="token_ids")
    padding_mask = keras.Input(shape=(sides, None), dtype="int32", name="padding_mask")
    parts = []
    for side in range(sides):
        one = encoder(
            {"token_ids": token_ids[:, side, :], "padding_mask": padding_mask[:, side, :]}
        )
        parts.append(ops.expand_dims(one, axis=1))
    joined = ops.concatenate(parts, axis=1)
    return keras.Model(
        inputs={"token_ids": token_ids, "padding_mask": padding_mask}, outputs=joined
    )
