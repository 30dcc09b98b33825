# expects: `max(0, ...)` is taken of the batch
# the hinge is taken of the batch's mean, and not row by row
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    l1 = jnp.maximum(0.0, jnp.mean(margin - positive + hardest))
    l2 = jnp.maximum(0.0, jnp.mean(margin - positive + mean))
    return l1 + l2
