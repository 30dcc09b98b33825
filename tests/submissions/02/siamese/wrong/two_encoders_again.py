# expects: The two sides do not share their weights: the same question gets two embeddings. Build *on
# builds a new encoder for each side, so the sides have different weights; shown by the same questions on both sides, whose outputs differ.
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    def encoder():
        return tl.Serial(
            tl.Embedding(vocabulary_size, dim),
            tl.LSTM(dim),
            tl.Mean(axis=1),
            tl.Fn("Normalize", normalize),
        )

    return tl.Parallel(encoder(), encoder())
