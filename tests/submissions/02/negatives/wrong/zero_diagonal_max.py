# expects: The diagonal is set to
# sets the diagonal to 0 for the maximum too, so a row whose negatives are all below 0 gets 0 as hardest negative.
def hard_negatives(similarities):
    batch = similarities.shape[0]
    off_diagonal = similarities * (1.0 - jnp.eye(batch))
    hardest = jnp.max(off_diagonal, axis=1)
    mean = jnp.sum(off_diagonal, axis=1) / (batch - 1)
    return hardest, mean
