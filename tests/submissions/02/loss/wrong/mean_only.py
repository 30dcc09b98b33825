# expects: Only L2, with the mean negative, is included.
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    _, mean = hard_negatives(similarities)
    return jnp.mean(jnp.maximum(0.0, margin - jnp.diagonal(similarities) + mean))
