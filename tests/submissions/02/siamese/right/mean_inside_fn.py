def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    reader = tl.Serial(tl.Embedding(vocabulary_size, dim), tl.LSTM(dim))
    pooling = tl.Fn("MeanAndNormalize", lambda states: normalize(jnp.mean(states, axis=1)))
    encoder = tl.Serial(reader, pooling)
    return tl.Parallel(encoder, encoder)
