# expects: required positional argument: 'margin'
def triplet_loss(left, right, margin):
    similarities = similarity_matrix(left, right)
    closest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    l1 = jnp.maximum(0.0, margin - positive + closest)
    l2 = jnp.maximum(0.0, margin - positive + mean)
    return jnp.mean(l1 + l2)
