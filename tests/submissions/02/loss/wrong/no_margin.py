# expects: The margin is missing
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    closest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    return jnp.mean(jnp.maximum(0.0, closest - positive) + jnp.maximum(0.0, mean - positive))
