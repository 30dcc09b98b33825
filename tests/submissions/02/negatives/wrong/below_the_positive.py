# expects: Only values below the positive are considered.
def hard_negatives(similarities):
    b = similarities.shape[0]
    positive = jnp.diagonal(similarities)[:, None]
    easier = jnp.where(similarities < positive, similarities, -2.0)
    hardest = jnp.max(easier, axis=1)
    mean = jnp.sum(similarities * (1.0 - jnp.eye(b)), axis=1) / (b - 1)
    return hardest, mean
