# expects: A value is off
# one maximum around the sum of both terms, so a negative term cancels part of a positive one; shows when the hardest negative violates the margin and the mean one doesn't
def triplet_loss(left, right, margin=0.25):
    scores = similarity_matrix(left, right)
    positive = jnp.diagonal(scores)
    hardest, mean = hard_negatives(scores)
    both = (margin - positive + hardest) + (margin - positive + mean)
    return jnp.mean(jnp.maximum(both, 0.0))
