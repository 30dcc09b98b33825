# expects: The epsilon is missing under the root
def contrastive_loss(same, embeddings, margin=5.0):
    d = ops.norm(embeddings[:, 0] - embeddings[:, 1], axis=-1)
    push = ops.square(ops.maximum(0.0, margin - d))
    return 0.5 * ops.mean(same * ops.square(d) + (1 - same) * push)
