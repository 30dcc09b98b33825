# expects: The hardest negative is taken from the diagonal: that is the positive.
def triplet_loss(left, right, margin=0.25):
    scores = jnp.dot(left, right.T)
    batch = scores.shape[0]
    positive = jnp.diagonal(scores)
    hardest = jnp.max(scores, axis=1)
    mean = (jnp.sum(scores, axis=1) - positive) / (batch - 1)
    hinge = lambda negative: jnp.maximum(0.0, margin - positive + negative)
    return jnp.mean(hinge(hardest) + hinge(mean))
