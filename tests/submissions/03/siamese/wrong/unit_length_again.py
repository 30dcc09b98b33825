# expects: The embeddings are scaled to unit length. Return them as they are: the triplet objective n
# scales the embeddings to unit length instead of stacking them unchanged; shown by an encoder whose outputs don't have length 1.
def build_siamese(encoder, sides):
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    outputs = [
        encoder({name: both[:, side] for name, both in inputs.items()}) for side in range(sides)
    ]
    # Then the cosine is a plain dot product
    stacked = keras.layers.UnitNormalization(axis=-1)(ops.stack(outputs, axis=1))
    return keras.Model(inputs, stacked)
