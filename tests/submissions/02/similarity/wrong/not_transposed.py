# expects: transpose the right side, `right.T`.
def similarity_matrix(left, right):
    return jnp.matmul(left, right)
