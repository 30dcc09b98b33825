# expects: No gradient flows through your code, so no network could be trained with it. Use `jnp` fro
# converts to NumPy, so JAX cannot trace or differentiate it although the text asks for jnp; shows in any gradient
def similarity_matrix(left, right):
    left, right = np.asarray(left), np.asarray(right)
    return np.matmul(left, right.T)
