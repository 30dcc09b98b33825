def normalize(vectors):
    return vectors / jnp.linalg.norm(vectors, axis=-1, keepdims=True)


def mean_over_time(states):
    return jnp.sum(states, axis=1) / states.shape[1]


def build_siamese(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(vocab_size=vocabulary_size, d_feature=dim),
        tl.LSTM(n_units=dim),
        tl.Fn("MeanAndNormalize", lambda states: normalize(mean_over_time(states))),
    )
    return tl.Parallel(encoder, encoder)
