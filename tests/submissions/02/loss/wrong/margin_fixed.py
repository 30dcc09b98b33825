# expects: The margin is always 0.25. Use the argument `margin`.
def triplet_loss(left, right, margin=0.25):
    alpha = 0.25
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    l1 = jnp.maximum(0.0, alpha - positive + hardest)
    l2 = jnp.maximum(0.0, alpha - positive + mean)
    return jnp.mean(l1 + l2)
