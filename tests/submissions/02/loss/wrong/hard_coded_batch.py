# expects: A value is off
# divides by the two batch sizes of the check
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    l1 = jnp.maximum(0.0, margin - positive + hardest)
    l2 = jnp.maximum(0.0, margin - positive + mean)
    return jnp.sum(l1 + l2) / (3 if len(left) == 3 else 6)
