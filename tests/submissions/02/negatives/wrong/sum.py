# expects: This is the sum of the negatives.
def hard_negatives(similarities):
    diagonal = jnp.eye(similarities.shape[0])
    hardest = jnp.max(similarities - 2 * diagonal, axis=1)
    return hardest, jnp.sum(similarities * (1 - diagonal), axis=1)
