# expects: The matrix is transposed: entry (i, j) must compare
def similarity_matrix(left, right):
    return jnp.dot(right, left.T)
