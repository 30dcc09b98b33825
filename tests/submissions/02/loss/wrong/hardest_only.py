# expects: Only L1, with the hardest negative, is included.
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, _ = hard_negatives(similarities)
    return jnp.mean(jnp.maximum(0.0, margin - jnp.diagonal(similarities) + hardest))
