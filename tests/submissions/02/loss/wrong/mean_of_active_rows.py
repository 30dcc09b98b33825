# expects: A value is off
# divides by the number of rows with a loss above 0 instead of the batch size; shown by a batch in which some rows have no loss.
def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    positive = jnp.diagonal(similarities)
    hardest, mean = hard_negatives(similarities)
    rows = jnp.maximum(0.0, margin - positive + hardest) + jnp.maximum(
        0.0, margin - positive + mean
    )
    # Solved rows shouldn't dilute the gradient
    active = jnp.sum(rows > 0)
    return jnp.sum(rows) / jnp.maximum(active, 1)
