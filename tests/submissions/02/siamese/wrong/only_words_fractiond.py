# expects: The weights are not those of one Embedding and one LSTM
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    words = tl.Embedding(vocabulary_size, dim)
    left = tl.Serial(words, tl.LSTM(dim), tl.Mean(axis=1), tl.Fn("Normalize", normalize))
    right = tl.Serial(words, tl.LSTM(dim), tl.Mean(axis=1), tl.Fn("Normalize", normalize))
    return tl.Parallel(left, right)
