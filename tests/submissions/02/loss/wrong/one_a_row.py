# expects: This is one loss a row. Return their mean.
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    closest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    l1 = jnp.maximum(0.0, margin - positive + closest)
    l2 = jnp.maximum(0.0, margin - positive + mean)
    return l1 + l2
