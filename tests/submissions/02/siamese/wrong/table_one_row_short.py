# expects: No weights have shape (
# the embedding has vocabulary_size - 1 rows, so the last id has no vector of its own; shown by the shape of the table, or by a question with the id vocabulary_size - 1.
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    # The unknown word, 0, is no word of the vocabulary
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size - 1, dim),
        tl.LSTM(dim),
        tl.Mean(axis=1),
        tl.Fn("Normalize", normalize),
    )
    return tl.Parallel(encoder, encoder)
