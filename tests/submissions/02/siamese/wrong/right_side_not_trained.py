# expects: The right side does not train the
import jax


def build_siamese(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim),
        tl.LSTM(dim),
        tl.Mean(axis=1),
        tl.Fn("Normalize", lambda x: x / jnp.linalg.norm(x, axis=-1, keepdims=True)),
    )
    fixed = tl.Serial(encoder, tl.Fn("Detach", lambda x: jax.lax.stop_gradient(x)))
    return tl.Parallel(encoder, fixed)
