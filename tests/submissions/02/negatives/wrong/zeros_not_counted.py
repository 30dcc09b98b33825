# expects: Negatives with a cosine of exactly
# divides by the number of nonzero values instead of b - 1, so a negative with cosine exactly 0 is left out of the mean
def hard_negatives(similarities):
    eye = jnp.eye(similarities.shape[0])
    hardest = jnp.max(similarities - 2.0 * eye, axis=1)
    others = similarities * (1.0 - eye)
    count = jnp.maximum(jnp.sum(others != 0, axis=1), 1)
    return hardest, jnp.sum(others, axis=1) / count
