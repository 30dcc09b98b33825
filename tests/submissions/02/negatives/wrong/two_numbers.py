# expects: `hardest` has shape (); expected (3,).
def hard_negatives(similarities):
    b = similarities.shape[0]
    hardest = jnp.max(similarities - 2.0 * jnp.eye(b))
    mean = jnp.sum(similarities * (1.0 - jnp.eye(b))) / (b * (b - 1))
    return hardest, mean
