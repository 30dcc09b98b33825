def triplet_loss(v1, v2, alpha=0.25):
    relu = tl.Relu()
    scores = jnp.dot(v1, v2.T)
    batch = scores.shape[0]
    ahead = alpha - jnp.sum(v1 * v2, axis=1)
    rest = jnp.where(jnp.eye(batch, dtype=bool), jnp.nan, scores)
    return jnp.mean(
        relu(ahead + jnp.nanmax(rest, axis=1)) + relu(ahead + jnp.nanmean(rest, axis=1))
    )
