# expects: These are the positives only, row i with row i.
def similarity_matrix(left, right):
    return jnp.sum(left * right, axis=1)
