# expects: Negatives equal to the positive are left out, too. The positive is known by its place: the
# finds the positive by its value instead of its place, so negatives that equal the positive don't count either; for a collapsed batch (all similarities 1) the hardest is -1 instead of 1 and the mean 0.
def hard_negatives(similarities):
    batch = similarities.shape[0]
    positive = jnp.diagonal(similarities)[:, None]
    is_positive = similarities == positive
    hardest = jnp.max(jnp.where(is_positive, similarities - 2.0, similarities), axis=1)
    mean = jnp.sum(jnp.where(is_positive, 0.0, similarities), axis=1) / (batch - 1)
    return hardest, mean
