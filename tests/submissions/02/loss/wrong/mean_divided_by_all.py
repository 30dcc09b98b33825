# expects: The mean negative is divided by b instead of b - 1.
def triplet_loss(left, right, margin=0.25):
    scores = jnp.dot(left, right.T)
    eye = jnp.eye(scores.shape[0])
    positive = jnp.diagonal(scores)
    hardest = jnp.max(scores - 2 * eye, axis=1)
    mean = jnp.mean(scores * (1 - eye), axis=1)
    hinge = lambda negative: jnp.maximum(0.0, margin - positive + negative)
    return jnp.mean(hinge(hardest) + hinge(mean))
