# expects: The model has two sides whatever `sides` says. Triplets have three.
# encodes only the first two sides, whatever `sides` says; it shows for sides=3, where the output is (batch, 2, dim)
def build_siamese(encoder, sides):
    token_ids = keras.Input((sides, None), dtype="int32", name="token_ids")
    padding_mask = keras.Input((sides, None), dtype="int32", name="padding_mask")
    left = encoder({"token_ids": token_ids[:, 0], "padding_mask": padding_mask[:, 0]})
    right = encoder({"token_ids": token_ids[:, 1], "padding_mask": padding_mask[:, 1]})
    outputs = ops.stack([left, right], axis=1)
    return keras.Model({"token_ids": token_ids, "padding_mask": padding_mask}, outputs)
