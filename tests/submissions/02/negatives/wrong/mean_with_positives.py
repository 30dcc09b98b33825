# expects: The mean includes the positives.
def hard_negatives(similarities):
    b = similarities.shape[0]
    hardest = jnp.max(similarities - 2.0 * jnp.eye(b), axis=1)
    return hardest, jnp.mean(similarities, axis=1)
