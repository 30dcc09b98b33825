# expects: The whole batch is divided by one number.
def normalize(vectors):
    return vectors / jnp.linalg.norm(vectors)


def build_siamese(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim),
        tl.LSTM(dim),
        tl.Mean(axis=1),
        tl.Fn("Normalize", normalize),
    )
    return tl.Parallel(encoder, encoder)
