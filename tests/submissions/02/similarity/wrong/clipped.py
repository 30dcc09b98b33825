# expects: A value is off
# clips cosines to the range from 0 to 1, so every negative cosine becomes 0; shows for rows that point away from each other
def similarity_matrix(left, right):
    cosines = jnp.matmul(left, right.T)
    return jnp.clip(cosines, 0.0, 1.0)
