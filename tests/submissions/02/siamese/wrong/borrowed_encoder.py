# expects: course's own
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    encoder = quora_trax.build_classic_encoder(vocabulary_size, dim)
    return tl.Parallel(encoder, encoder)
