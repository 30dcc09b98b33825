# expects: This applies a softmax.
def similarity_matrix(left, right):
    scores = jnp.exp(jnp.dot(left, right.T))
    return scores / jnp.sum(scores, axis=1, keepdims=True)
