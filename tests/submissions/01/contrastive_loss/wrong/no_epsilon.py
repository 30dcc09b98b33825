# expects: The epsilon is missing under the root: two different images at the same point get a gradie
# the square root in D has no epsilon; a pair of two equal embeddings (similar or different) makes the gradient NaN.
def contrastive_loss(same, embeddings, margin=5.0):
    squares = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
    distance = ops.sqrt(squares)
    pull = 0.5 * squares
    push = 0.5 * ops.square(ops.maximum(0.0, margin - distance))
    return ops.mean(same * pull + (1.0 - same) * push)
