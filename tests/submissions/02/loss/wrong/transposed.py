# expects: The similarity matrix is transposed
def triplet_loss(left, right, margin=0.25):
    similarities = jnp.dot(right, left.T)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    l1 = jnp.maximum(0.0, margin - positive + hardest)
    l2 = jnp.maximum(0.0, margin - positive + mean)
    return jnp.mean(l1 + l2)
