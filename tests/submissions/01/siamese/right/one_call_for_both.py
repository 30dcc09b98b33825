def build_siamese(encoder):
    """Both sides go through the encoder as one batch, which is taken apart again."""
    left, right = keras.Input((784,)), keras.Input((784,))
    embeddings = encoder(ops.concatenate([left, right], axis=0))
    both = ops.reshape(embeddings, (2, -1, encoder.output_shape[-1]))
    return keras.Model([left, right], ops.transpose(both, (1, 0, 2)))
