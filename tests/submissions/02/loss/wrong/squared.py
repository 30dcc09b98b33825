# expects: The hinge is squared.
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    l1 = jnp.maximum(0.0, margin - positive + hardest) ** 2
    l2 = jnp.maximum(0.0, margin - positive + mean) ** 2
    return jnp.mean(l1 + l2)
