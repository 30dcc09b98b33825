# expects: A value is off
def similarity_matrix(left, right):
    return jnp.eye(left.shape[0])
