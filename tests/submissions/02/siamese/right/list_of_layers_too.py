def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    layers = [tl.Embedding(vocabulary_size, dim), tl.LSTM(dim)]
    layers += [tl.Mean(axis=1), tl.Fn("UnitLength", normalize)]
    twins = [tl.Serial(*layers)] * 2
    return tl.Parallel(*twins)
