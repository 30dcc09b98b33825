# expects: No gradient flows through your code, so no network could be trained with it. Use `jnp` fro
# turns the loss into a Python float, so its value is right but Trax can't differentiate it (float() of a traced array raises an error).
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    both = jnp.maximum(0.0, margin - positive + hardest) + jnp.maximum(
        0.0, margin - positive + mean
    )
    return float(jnp.mean(both))
