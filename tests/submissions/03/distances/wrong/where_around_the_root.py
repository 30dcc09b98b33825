# expects: The epsilon is missing: where two embeddings are equal the gradient of the square root is
# guards the root with ops.where instead of the epsilon, but the gradient of the root at 0 is still infinite, and 0 times infinity is NaN; shown by the gradient for two equal embeddings (and the distance is 0 instead of 0.001).
def triplet_distances(embeddings):
    def distance(a, b):
        squared = ops.sum(ops.square(a - b), axis=-1)
        return ops.where(squared > 0, ops.sqrt(squared), ops.zeros_like(squared))

    anchor = embeddings[:, 0]
    return distance(anchor, embeddings[:, 1]), distance(anchor, embeddings[:, 2])
