# expects: The diagonal is set to 0, and where all negatives are below 0
def hard_negatives(similarities):
    b = similarities.shape[0]
    negatives = similarities * (1 - jnp.eye(b))
    hardest = jnp.max(negatives, axis=1)
    mean = jnp.sum(negatives, axis=1) / (b - 1)
    return hardest, mean
