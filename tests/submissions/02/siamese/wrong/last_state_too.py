# expects: This takes the last state of the LSTM. Take the mean of all states, `tl.Mean(axis=
# takes the last state instead of the mean of all states; shows for every question of more than one word
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim),
        tl.LSTM(dim),
        tl.Fn("LastState", lambda states: states[:, -1, :]),
        tl.Fn("Normalize", normalize),
    )
    return tl.Parallel(encoder, encoder)
