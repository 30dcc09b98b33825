def triplet_loss(left, right, margin=0.25):
    scores = jnp.dot(left, right.T)
    batch = scores.shape[0]
    positive = (left * right).sum(axis=1)
    others = scores - 3.0 * jnp.eye(batch)
    means = (scores.sum(axis=1) - positive) / (batch - 1)
    losses = [jnp.maximum(0, margin - positive + n) for n in (others.max(axis=1), means)]
    return (losses[0] + losses[1]).mean()
