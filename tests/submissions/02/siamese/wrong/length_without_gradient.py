# expects: The embeddings are right, but not their gradient
import jax


def build_siamese(vocabulary_size, dim=128):
    def normalize(vectors):
        lengths = jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True))
        return vectors / jax.lax.stop_gradient(lengths)

    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim),
        tl.LSTM(dim),
        tl.Mean(axis=1),
        tl.Fn("Normalize", normalize),
    )
    return tl.Parallel(encoder, encoder)
