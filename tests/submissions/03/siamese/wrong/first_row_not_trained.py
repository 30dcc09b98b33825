# expects: Side 1 does not train the encoder as it should: some of its rows are cut off
class FirstRowFixed(keras.layers.Layer):
    def call(self, rows):
        return ops.concatenate([ops.stop_gradient(rows[:1]), rows[1:]], axis=0)


def build_siamese(encoder, sides):
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    rows = [encoder({name: ids[:, side] for name, ids in inputs.items()}) for side in range(sides)]
    return keras.Model(inputs, FirstRowFixed()(ops.stack(rows, axis=1)))
