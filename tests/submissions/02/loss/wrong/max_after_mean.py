# expects: `max(0, ...)` is taken of the batch's mean, so rows that are
# averages over the batch first and takes max(0, ...) of the averages, so easy rows make up for wrong ones; differs as soon as one row is within the margin and another is not.
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    first = jnp.maximum(0.0, jnp.mean(margin - positive + hardest))
    second = jnp.maximum(0.0, jnp.mean(margin - positive + mean))
    return first + second
