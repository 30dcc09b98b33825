# expects: The two sides do not share their weights: there is a second network in the model. Call the
# the other sides go through copies of the encoder with the same weights; the outputs are right at first, but training changes the copies separately, so the sides no longer share an encoder.
def build_siamese(encoder, sides):
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    encoders = [encoder]
    for number in range(1, sides):
        copy = keras.models.clone_model(encoder)
        copy.set_weights(encoder.get_weights())
        copy.name = f"{encoder.name}_{number}"
        encoders.append(copy)
    embeddings = []
    for side, one in enumerate(encoders):
        embeddings.append(one({name: array[:, side] for name, array in inputs.items()}))
    return keras.Model(inputs, ops.stack(embeddings, axis=1))
