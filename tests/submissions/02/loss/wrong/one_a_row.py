# expects: This is one loss per row. Return their mean.
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    l1 = jnp.maximum(0.0, margin - positive + hardest)
    l2 = jnp.maximum(0.0, margin - positive + mean)
    return l1 + l2
