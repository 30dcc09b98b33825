# expects: `hardest`: A value is off
def hard_negatives(similarities):
    return jnp.zeros(len(similarities)), jnp.zeros(len(similarities))
