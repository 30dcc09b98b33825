def similarity_matrix(left, right):
    return jnp.einsum("id,jd->ij", left, right)
