# expects: not in the rows and sides of their inputs
def build_siamese(encoder, sides):
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    outputs = [
        encoder({name: tensor[:, side] for name, tensor in inputs.items()}) for side in range(sides)
    ]
    together = ops.concatenate(outputs, axis=0)
    return keras.Model(inputs, ops.reshape(together, (-1, sides, outputs[0].shape[-1])))
