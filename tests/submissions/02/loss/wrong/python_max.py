# expects: Your code stopped with `ValueError`
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    return jnp.mean(max(0.0, margin - positive + hardest) + max(0.0, margin - positive + mean))
