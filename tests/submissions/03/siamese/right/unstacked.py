def build_siamese(encoder, sides):
    ids = keras.Input((sides, None), dtype="int32", name="token_ids")
    mask = keras.Input((sides, None), dtype="int32", name="padding_mask")
    embeddings = []
    for side_ids, side_mask in zip(
        ops.unstack(ids, sides, axis=1), ops.unstack(mask, sides, axis=1)
    ):
        embeddings.append(encoder({"token_ids": side_ids, "padding_mask": side_mask}))
    return keras.Model({"token_ids": ids, "padding_mask": mask}, ops.stack(embeddings, axis=1))
