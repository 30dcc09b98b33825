# expects: The two are swapped: return the hardest negative first
def hard_negatives(similarities):
    b = similarities.shape[0]
    diagonal = jnp.eye(b)
    mean = jnp.sum(similarities * (1.0 - diagonal), axis=1) / (b - 1)
    hardest = jnp.max(similarities - 2.0 * diagonal, axis=1)
    return mean, hardest
