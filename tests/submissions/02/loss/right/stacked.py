def triplet_loss(left, right, margin=0.25):
    scores = similarity_matrix(left, right)
    hardest, mean = hard_negatives(scores)
    shortfall = margin - jnp.diagonal(scores)[None, :] + jnp.stack([hardest, mean])
    return jnp.sum(jnp.maximum(shortfall, 0.0)) / scores.shape[0]
