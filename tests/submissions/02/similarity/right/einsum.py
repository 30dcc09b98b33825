def similarity_matrix(v1, v2):
    return jnp.einsum("id,jd->ij", v1, v2)
