# expects: A value is off
# takes one maximum of the sum of both terms instead of one for each, so a negative L2 term cancels L1; shown by a row with positive 0.6, hardest 0.7 and a mean far below 0.
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    positive = jnp.diagonal(similarities)
    hardest, mean = hard_negatives(similarities)
    both = (margin - positive + hardest) + (margin - positive + mean)
    return jnp.mean(jnp.maximum(0.0, both))
