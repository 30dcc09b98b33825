# expects: The gradient with respect to `right` is not right, so a network would learn something else
# treats the right side as a constant, so no gradient reaches it; shown by the gradient with respect to right, which is zero.
import jax


def similarity_matrix(left, right):
    # As in momentum contrast: only the anchors move, the candidates are fixed targets
    return jnp.matmul(left, jax.lax.stop_gradient(right).T)
