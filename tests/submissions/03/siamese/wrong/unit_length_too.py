# expects: The embeddings are scaled to unit length. Return them as they are: the triplet objective n
# scales the embeddings to length 1 although the results must be stacked unchanged; it shows for any encoder whose outputs do not have length 1
def build_siamese(encoder, sides):
    inputs = {name: keras.Input((sides, None), dtype="int32", name=name) for name in ("token_ids", "padding_mask")}
    points = [encoder({name: value[:, side] for name, value in inputs.items()}) for side in range(sides)]
    stacked = ops.stack(points, axis=1)
    return keras.Model(inputs, keras.layers.UnitNormalization(axis=-1)(stacked))
