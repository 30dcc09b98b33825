# expects: The normalization runs over the batch (axis 0)
def normalize(vectors):
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=0, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim),
        tl.LSTM(dim),
        tl.Mean(axis=1),
        tl.Fn("Normalize", normalize),
    )
    return tl.Parallel(encoder, encoder)
