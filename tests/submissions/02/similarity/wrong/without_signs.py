# expects: A value is off
def similarity_matrix(left, right):
    return jnp.abs(jnp.dot(left, right.T))
