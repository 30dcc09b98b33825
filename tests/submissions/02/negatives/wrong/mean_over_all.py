# expects: The mean is taken over b values, but the diagonal does not count
def hard_negatives(similarities):
    b = similarities.shape[0]
    hardest = jnp.max(similarities - 2.0 * jnp.eye(b), axis=1)
    mean = jnp.mean(similarities * (1.0 - jnp.eye(b)), axis=1)
    return hardest, mean
