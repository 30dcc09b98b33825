def triplet_distances(embeddings):
    anchor = embeddings[:, 0]
    extra = ops.full_like(anchor[:, :1], 1e-3)

    def distance(side):
        return ops.norm(ops.concatenate([anchor - embeddings[:, side], extra], axis=-1), axis=-1)

    return distance(1), distance(2)
