def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    layers = [tl.Embedding(vocabulary_size, dim), tl.LSTM(dim)]
    layers.append(tl.Mean(axis=1))
    layers.append(tl.Fn("UnitLength", normalize))
    encoder = tl.Serial(*layers)
    return tl.Parallel(*[encoder] * 2)
