# expects: The padding mask does not reach the encoder
def build_siamese(encoder, sides):
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    rows = [
        encoder(
            {
                "token_ids": inputs["token_ids"][:, side],
                "padding_mask": ops.ones_like(inputs["token_ids"][:, side]),
            }
        )
        for side in range(sides)
    ]
    return keras.Model(inputs, ops.stack(rows, axis=1))
