# expects: The gradient with respect to `embeddings` is not right, so a network would learn something
# cuts the gradient of the right side with stop_gradient, so only the left point moves; the value is right, but the gradient of embeddings[:, 1] is 0 for every pair that has a loss
def contrastive_loss(same, embeddings, margin=5.0):
    embeddings = ops.convert_to_tensor(embeddings)
    same = ops.cast(same, embeddings.dtype)
    left = embeddings[:, 0]
    right = ops.stop_gradient(embeddings[:, 1])
    squared = ops.sum(ops.square(left - right), axis=-1)
    distance = ops.sqrt(squared + 1e-6)
    pull = 0.5 * squared
    push = 0.5 * ops.square(ops.maximum(margin - distance, 0.0))
    return ops.mean(same * pull + (1.0 - same) * push)
