# expects: `max(0, ...)` is taken of the batch's mean, so rows that are
# takes the mean over the batch before the maximum with 0, so rows that are well ahead make up for wrong rows
def triplet_loss(left, right, margin=0.25):
    scores = similarity_matrix(left, right)
    positive = jnp.diagonal(scores)
    hardest, mean = hard_negatives(scores)
    first = jnp.maximum(jnp.mean(margin - positive + hardest), 0.0)
    second = jnp.maximum(jnp.mean(margin - positive + mean), 0.0)
    return first + second
