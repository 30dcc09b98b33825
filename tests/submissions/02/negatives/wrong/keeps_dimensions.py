# expects: leave out `keepdims`.
def hard_negatives(similarities):
    b = similarities.shape[0]
    off = 1.0 - jnp.eye(b)
    hardest = jnp.max(similarities - 2.0 * jnp.eye(b), axis=1, keepdims=True)
    return hardest, jnp.sum(similarities * off, axis=1, keepdims=True) / (b - 1)
