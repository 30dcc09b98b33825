# expects: The wrong side is transposed: this is (dim, dim).
def similarity_matrix(left, right):
    return jnp.matmul(left.T, right)
