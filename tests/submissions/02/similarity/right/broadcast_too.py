def similarity_matrix(left, right):
    return jnp.sum(left[:, None, :] * right[None, :, :], axis=-1)
