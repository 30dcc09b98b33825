# expects: The weights are not those of one Embedding and one LSTM: (
# both sides share the embedding, but each has an LSTM of its own, so the cosine of a question with itself is not 1
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    embedding = tl.Embedding(vocabulary_size, dim)

    def side():
        return tl.Serial(embedding, tl.LSTM(dim), tl.Mean(axis=1), tl.Fn("Normalize", normalize))

    return tl.Parallel(side(), side())
