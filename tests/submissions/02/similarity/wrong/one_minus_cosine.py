# expects: This is 1 - cosine, a distance
def similarity_matrix(left, right):
    cosines = jnp.dot(left, jnp.transpose(right))
    return 1 - cosines
