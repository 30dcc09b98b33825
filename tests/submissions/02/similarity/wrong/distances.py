# expects: These are distances: small means alike.
def similarity_matrix(left, right):
    difference = left[:, None, :] - right[None, :, :]
    return jnp.linalg.norm(difference, axis=-1)
