# expects: The result has shape (); expected (4, 4).
def similarity_matrix(left, right):
    return jnp.sum(jnp.dot(left, right.T))
