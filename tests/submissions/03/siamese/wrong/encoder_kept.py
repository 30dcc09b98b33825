# expects: A second call, with another encoder, returns a model that shares weights
kept = {}


def build_siamese(encoder, sides):
    encoder = kept.setdefault("encoder", encoder)
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    rows = [encoder({name: ids[:, side] for name, ids in inputs.items()}) for side in range(sides)]
    return keras.Model(inputs, ops.stack(rows, axis=1))
