def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    negatives = jnp.stack(hard_negatives(similarities))
    violations = negatives - jnp.diagonal(similarities)[None, :] + margin
    return jnp.sum(jnp.maximum(violations, 0.0)) / similarities.shape[0]
