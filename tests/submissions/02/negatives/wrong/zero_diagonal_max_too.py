# expects: The diagonal is set to
# takes the maximum with the diagonal set to 0, so a row whose negatives are all below 0 reports 0 as hardest
def hard_negatives(similarities):
    b = similarities.shape[0]
    others = jnp.where(jnp.eye(b) == 1, 0.0, similarities)
    return jnp.max(others, axis=1), jnp.sum(others, axis=1) / (b - 1)
