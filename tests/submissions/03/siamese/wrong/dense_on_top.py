# expects: is there a layer on top
def build_siamese(encoder, sides):
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    rows = [encoder({name: ids[:, side] for name, ids in inputs.items()}) for side in range(sides)]
    return keras.Model(inputs, keras.layers.Dense(4)(ops.stack(rows, axis=1)))
