# expects: The epsilon is missing: where two embeddings are equal
def triplet_distances(embeddings):
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    return ops.norm(anchor - positive, axis=-1), ops.norm(anchor - negative, axis=-1)
