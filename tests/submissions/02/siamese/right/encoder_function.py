def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def make_encoder(size, dim):
    layers = [tl.Embedding(size, dim)]
    layers.append(tl.LSTM(dim))
    layers.append(tl.Mean(axis=-2))
    layers.append(tl.Fn("Normalize", lambda x: normalize(x)))
    return tl.Serial(layers, name="Encoder")


def build_siamese(vocab_size, d_model=128):
    model = make_encoder(vocab_size, d_model)
    return tl.Parallel(*[model] * 2)
