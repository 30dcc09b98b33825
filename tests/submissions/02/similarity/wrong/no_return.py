# expects: The result is `None`: is a `return` missing?
def similarity_matrix(left, right):
    similarities = jnp.dot(left, right.T)
