# expects: Negatives equal to the positive are left out, too. The positive is known by its place: the
# masks every entry that equals the positive, not only the diagonal; shown by a negative exactly as similar as the positive, e.g. the collapsed matrix of ones (hardest -1, mean 0 instead of 1 and 1).
def hard_negatives(similarities):
    b = similarities.shape[0]
    positive = jnp.diagonal(similarities)[:, None]
    is_positive = similarities == positive
    hardest = jnp.max(jnp.where(is_positive, similarities - 2.0, similarities), axis=1)
    mean = jnp.sum(jnp.where(is_positive, 0.0, similarities), axis=1) / (b - 1)
    return hardest, mean
