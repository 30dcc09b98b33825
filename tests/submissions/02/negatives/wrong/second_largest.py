# expects: `hardest`: A value is off:
# takes the second largest value of a row as the hardest negative, as if the positive were always the largest; shown by a row whose negative beats its positive, e.g. [0.6, 0.7, -0.2].
def hard_negatives(similarities):
    b = similarities.shape[0]
    ordered = jnp.sort(similarities, axis=1)
    mean = (jnp.sum(similarities, axis=1) - jnp.diagonal(similarities)) / (b - 1)
    return ordered[:, -2], mean
