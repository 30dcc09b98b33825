# expects: (batch, dim) times (dim, batch): `left` and `right.T`.
def similarity_matrix(left, right):
    return jnp.matmul(left, right)
