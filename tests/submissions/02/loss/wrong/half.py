# expects: This is half the loss.
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    positive = jnp.diagonal(similarities)
    both = [jnp.maximum(0.0, margin - positive + n) for n in hard_negatives(similarities)]
    return jnp.mean(jnp.array(both))
