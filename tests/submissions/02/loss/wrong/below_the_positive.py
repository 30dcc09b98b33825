# expects: The hardest negative is taken from values below the positive only.
def triplet_loss(left, right, margin=0.25):
    scores = jnp.dot(left, right.T)
    batch = scores.shape[0]
    positive = jnp.diagonal(scores)
    mean = (jnp.sum(scores, axis=1) - positive) / (batch - 1)
    taken = (jnp.eye(batch) == 1) | (scores > positive[:, None])
    hardest = jnp.max(jnp.where(taken, -2.0, scores), axis=1)
    hinge = lambda negative: jnp.maximum(0.0, margin - positive + negative)
    return jnp.mean(hinge(hardest) + hinge(mean))
