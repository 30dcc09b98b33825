# expects: The mean runs over the dimensions. Axis
# the mean is over the features (axis 2) instead of over time, so the outputs are (batch, length)
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim),
        tl.LSTM(dim),
        tl.Mean(axis=2),
        tl.Fn("Normalize", normalize),
    )
    return tl.Parallel(encoder, encoder)
