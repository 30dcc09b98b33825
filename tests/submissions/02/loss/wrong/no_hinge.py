# expects: `max(0, ...)` is missing
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    return jnp.mean((margin - positive + hardest) + (margin - positive + mean))
