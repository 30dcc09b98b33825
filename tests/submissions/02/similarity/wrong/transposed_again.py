# expects: The matrix is transposed: entry (i, j) must compare *left* row i with *right* row j.
# entry (i, j) compares right row i with left row j, the transposed matrix; shown by any batch whose matrix isn't symmetric.
def similarity_matrix(left, right):
    return jnp.dot(right, left.T)
