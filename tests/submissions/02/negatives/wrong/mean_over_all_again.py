# expects: The mean is taken over b values, but the diagonal does not count: divide by b -
# divides the sum of the negatives by b instead of b - 1 (jnp.mean counts the zeroed diagonal); shown by every matrix.
def hard_negatives(similarities):
    eye = jnp.eye(similarities.shape[0])
    hardest = jnp.max(similarities - 2.0 * eye, axis=1)
    mean = jnp.mean(similarities * (1.0 - eye), axis=1)
    return hardest, mean
