def contrastive_loss(same, embeddings, margin=5.0):
    embeddings = ops.convert_to_tensor(embeddings)
    weight = ops.cast(same, embeddings.dtype)
    left, right = ops.split(embeddings, 2, axis=1)
    pull = ops.sum(ops.square(right - left), axis=(1, 2))
    push = ops.square(margin - ops.minimum(ops.sqrt(pull + 1e-6), margin))
    return 0.5 * ops.mean(push + weight * (pull - push))
