# expects: Every state is normalized before the mean is taken, so the mean is shorter than
# normalizes every state before the mean over time, so the outputs are not of unit length; shows for questions of more than one word
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim),
        tl.LSTM(dim),
        tl.Fn("Normalize", normalize),
        tl.Mean(axis=1),
    )
    return tl.Parallel(encoder, encoder)
