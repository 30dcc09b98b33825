# expects: A value is off
# divides by the norms of the whole matrices (no axis) instead of relying on unit rows, so with b rows every cosine is b times too small; shows for every batch larger than one
def similarity_matrix(left, right):
    products = jnp.dot(left, jnp.transpose(right))
    return products / (jnp.linalg.norm(left) * jnp.linalg.norm(right))
