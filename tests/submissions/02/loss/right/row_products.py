def triplet_loss(left, right, margin=0.25):
    positive = jnp.sum(left * right, axis=1)

    def hinge_mean(negative):
        gap = negative - (positive - margin)
        return jnp.mean(jnp.where(gap > 0, gap, 0.0))

    hardest, mean = hard_negatives(similarity_matrix(left, right))
    return hinge_mean(hardest) + hinge_mean(mean)
