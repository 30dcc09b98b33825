# expects: No gradient flows through your code, so no network could be trained with it. Use `jnp` fro
# computes the product with NumPy instead of jnp, so the numbers are right but Trax can't differentiate it (a traced array raises an error).
def similarity_matrix(left, right):
    return np.asarray(left) @ np.asarray(right).T
