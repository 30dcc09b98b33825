# expects: `hardest` contains NaN or infinity.
# -inf times 0 is not a number
def hard_negatives(similarities):
    b = similarities.shape[0]
    hardest = jnp.max(similarities - jnp.inf * jnp.eye(b), axis=1)
    mean = jnp.sum(similarities * (1.0 - jnp.eye(b)), axis=1) / (b - 1)
    return hardest, mean
