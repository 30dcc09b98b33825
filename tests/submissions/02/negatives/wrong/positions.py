# expects: These are the positions of the hardest negatives.
def hard_negatives(similarities):
    b = similarities.shape[0]
    hardest = jnp.argmax(similarities - 2.0 * jnp.eye(b), axis=1)
    mean = jnp.sum(similarities * (1.0 - jnp.eye(b)), axis=1) / (b - 1)
    return hardest, mean
