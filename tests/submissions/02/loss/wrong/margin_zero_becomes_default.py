# expects: A value is off
# `margin or 0.25` replaces a margin of 0 by 0.25; shown by margin=0.
def triplet_loss(left, right, margin=0.25):
    margin = margin or 0.25
    similarities = similarity_matrix(left, right)
    positive = jnp.diagonal(similarities)
    hardest, mean = hard_negatives(similarities)
    l1 = jnp.maximum(0.0, margin - positive + hardest)
    l2 = jnp.maximum(0.0, margin - positive + mean)
    return jnp.mean(l1 + l2)
