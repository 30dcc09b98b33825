# expects: The maximum is taken over the columns (axis 0).
def hard_negatives(similarities):
    b = similarities.shape[0]
    hardest = jnp.max(similarities - 2.0 * jnp.eye(b), axis=0)
    mean = jnp.sum(similarities * (1.0 - jnp.eye(b)), axis=1) / (b - 1)
    return hardest, mean
