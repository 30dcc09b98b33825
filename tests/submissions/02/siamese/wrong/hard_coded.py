# expects: without `dim`, the weights have shapes
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(50, 8), tl.LSTM(8), tl.Mean(axis=1), tl.Fn("Normalize", normalize)
    )
    return tl.Parallel(encoder, encoder)
