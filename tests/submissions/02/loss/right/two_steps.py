def triplet_loss(left, right, margin=0.25):
    similarities = similarity_matrix(left, right)
    positive = jnp.diag(similarities)
    return sum(
        jnp.mean(jnp.maximum(margin - positive + negative, 0.0))
        for negative in hard_negatives(similarities)
    )
