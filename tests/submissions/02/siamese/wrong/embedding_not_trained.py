# expects: The left side does not train the Embedding
import jax


def build_siamese(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim),
        tl.Fn("Detach", lambda words: jax.lax.stop_gradient(words)),
        tl.LSTM(dim),
        tl.Mean(axis=1),
        tl.Fn("Normalize", lambda x: x / jnp.linalg.norm(x, axis=-1, keepdims=True)),
    )
    return tl.Parallel(encoder, encoder)
