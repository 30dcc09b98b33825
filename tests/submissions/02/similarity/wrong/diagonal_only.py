# expects: Only the diagonal is filled.
def similarity_matrix(left, right):
    batch = left.shape[0]
    matrix = np.zeros((batch, batch))
    for i in range(batch):
        matrix[i, i] = np.dot(left[i], right[i])
    return jnp.array(matrix)
