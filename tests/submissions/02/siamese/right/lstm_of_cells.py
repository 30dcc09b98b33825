from trax.layers.rnn import LSTMCell, MakeZeroState


def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim),
        tl.Branch([], MakeZeroState(depth_multiplier=2)),
        tl.Scan(LSTMCell(n_units=dim), axis=1),
        tl.Select([0], n_in=2),
        tl.Mean(axis=1),
        tl.Fn("Normalize", normalize),
    )
    return tl.Parallel(encoder, encoder)
