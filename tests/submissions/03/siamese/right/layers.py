class Side(keras.layers.Layer):
    def __init__(self, number):
        super().__init__()
        self.number = number

    def call(self, rows):
        return rows[:, self.number]


def build_siamese(encoder, sides):
    ids = keras.Input((sides, None), dtype="int32", name="token_ids")
    mask = keras.Input((sides, None), dtype="int32", name="padding_mask")
    pick = [Side(number) for number in range(sides)]
    rows = [encoder({"token_ids": side(ids), "padding_mask": side(mask)}) for side in pick]
    return keras.Model(
        {"token_ids": ids, "padding_mask": mask},
        keras.layers.Lambda(lambda x: ops.stack(x, axis=1))(rows),
    )
