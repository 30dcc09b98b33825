# expects: The margin is missing
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    return jnp.mean(jnp.maximum(0.0, hardest - positive) + jnp.maximum(0.0, mean - positive))
