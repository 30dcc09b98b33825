# expects: The mean is taken over b values, but the diagonal does not count: divide by b -
# the mean counts the zero on the diagonal too and divides by b instead of b - 1; shows for every matrix whose off-diagonal mean is not 0
def hard_negatives(similarities):
    eye = jnp.eye(similarities.shape[0])
    hardest = jnp.max(similarities - 2.0 * eye, axis=1)
    mean = jnp.mean(similarities * (1.0 - eye), axis=1)
    return hardest, mean
