# expects: do not share their weights
def build_siamese(encoder, sides):
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    twins = [encoder] + [keras.models.clone_model(encoder) for _ in range(sides - 1)]
    rows = [
        twin({name: ids[:, side] for name, ids in inputs.items()})
        for side, twin in enumerate(twins)
    ]
    return keras.Model(inputs, ops.stack(rows, axis=1))
