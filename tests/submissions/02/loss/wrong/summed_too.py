# expects: The losses are summed over the batch, as in the slides of the original course. Take the me
# sums over the batch instead of taking the mean, so the loss grows with the batch; shows for every batch larger than one with a loss above 0
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    first = jnp.maximum(0.0, margin - positive + hardest)
    second = jnp.maximum(0.0, margin - positive + mean)
    return jnp.sum(first + second)
