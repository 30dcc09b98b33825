# expects: Every state is normalized before the mean is taken, so the mean is shorter than
# scales each state to unit length and then takes the mean, so the outputs don't have length 1; shown by the length of any output of a question with two or more different words.
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    # Unit states, so that no word dominates the mean
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim),
        tl.LSTM(dim),
        tl.Fn("Normalize", normalize),
        tl.Mean(axis=1),
    )
    return tl.Parallel(encoder, encoder)
