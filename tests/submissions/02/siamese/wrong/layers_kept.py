# expects: Two calls return models that share their layers
layers_of = {}


def build_siamese(vocabulary_size, dim=128):
    def normalize(vectors):
        return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True))

    lstm = layers_of.setdefault("lstm", tl.LSTM(dim))
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim), lstm, tl.Mean(axis=1), tl.Fn("Normalize", normalize)
    )
    return tl.Parallel(encoder, encoder)
