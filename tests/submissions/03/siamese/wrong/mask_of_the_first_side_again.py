# expects: Every side gets the padding mask of the first one. Ids and mask must be of the same side.
# uses the first side's padding mask for all sides; shown by a pair whose sentences have different lengths.
def build_siamese(encoder, sides):
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    mask = inputs["padding_mask"][:, 0]
    outputs = []
    for side in range(sides):
        outputs.append(encoder({"token_ids": inputs["token_ids"][:, side], "padding_mask": mask}))
    return keras.Model(inputs, ops.stack(outputs, axis=1))
