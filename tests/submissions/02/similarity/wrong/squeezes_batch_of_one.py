# expects: The result has shape (); expected (
# squeezes all axes of length 1, so a batch of one question gives shape () instead of (1, 1); shown by one row on each side.
def similarity_matrix(left, right):
    return jnp.squeeze(jnp.matmul(left[:, None, :], right.T))
