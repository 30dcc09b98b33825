def lengths(vectors):
    return jnp.linalg.norm(vectors, axis=1)


def similarity_matrix(left, right):
    return jnp.matmul(left, right.transpose()) / jnp.outer(lengths(left), lengths(right))
