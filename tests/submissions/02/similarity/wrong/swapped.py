# expects: The matrix is transposed: entry (i, j) must compare *left* row i with *right* row j.
# the two factors are swapped, so entry (i, j) compares right row i with left row j; shows whenever the matrix is not symmetric
def similarity_matrix(left, right):
    return jnp.dot(right, left.T)
