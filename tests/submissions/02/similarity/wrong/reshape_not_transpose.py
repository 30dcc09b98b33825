# expects: A value is off
# reshapes the right side to (dim, batch) instead of transposing it, which mixes up its numbers; wrong for every right side other than, for example, the identity or another symmetric square.
def similarity_matrix(left, right):
    batch, dim = right.shape
    return jnp.dot(left, jnp.reshape(right, (dim, batch)))
