# expects: This is half the loss. L
# the mean over the 2 b terms instead of the mean of L1 + L2 over the b rows, so every loss above 0 is half as large
def triplet_loss(left, right, margin=0.25):
    scores = similarity_matrix(left, right)
    positive = jnp.diagonal(scores)
    hardest, mean = hard_negatives(scores)
    terms = jnp.concatenate([margin - positive + hardest, margin - positive + mean])
    return jnp.mean(jnp.maximum(terms, 0.0))
