# expects: The losses are summed over the batch, as in the slides of the original course.
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    l1 = jnp.maximum(0.0, margin - positive + hardest)
    l2 = jnp.maximum(0.0, margin - positive + mean)
    return jnp.sum(l1 + l2)
