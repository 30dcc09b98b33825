def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    def on_both(layer):
        return tl.Parallel(layer, layer)

    return tl.Serial(
        on_both(tl.Embedding(vocabulary_size, dim)),
        on_both(tl.LSTM(dim)),
        on_both(tl.Mean(axis=1)),
        on_both(tl.Fn("Normalize", normalize)),
    )
