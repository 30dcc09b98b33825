# expects: A value is off
# clips the distance at the margin for both kinds of pairs; a similar pair farther apart than the margin has too small a loss and no gradient.
def contrastive_loss(same, embeddings, margin=5.0):
    difference = embeddings[:, 0] - embeddings[:, 1]
    distance = ops.sqrt(ops.sum(ops.square(difference), axis=1) + 1e-6)
    distance = ops.minimum(distance, margin)
    pull = ops.square(distance)
    push = ops.square(margin - distance)
    return ops.mean(0.5 * (same * pull + (1.0 - same) * push))
