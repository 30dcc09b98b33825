# expects: The products are divided by the number of dimensions.
def similarity_matrix(left, right):
    products = left[:, None, :] * right[None, :, :]
    return jnp.mean(products, axis=-1)
