def build_siamese(encoder, sides):
    token_ids = keras.Input(shape=(sides, None), dtype="int32", name="token_ids")
    padding_mask = keras.Input(shape=(sides, None), dtype="int32", name="padding_mask")

    def parts(value):
        return [ops.squeeze(part, axis=1) for part in ops.split(value, sides, axis=1)]

    outputs = [
        encoder({"token_ids": some_ids, "padding_mask": some_mask})
        for some_ids, some_mask in zip(parts(token_ids), parts(padding_mask))
    ]
    return keras.Model(
        inputs={"token_ids": token_ids, "padding_mask": padding_mask}, outputs=ops.stack(outputs, axis=1)
    )
