def contrastive_loss(same, embeddings, margin=5.0):
    same = ops.convert_to_tensor(same)
    a, b = ops.split(embeddings, 2, axis=1)
    d = ops.squeeze(ops.sqrt(ops.sum(ops.square(a - b), axis=-1) + 1e-6), axis=1)
    loss = 0.5 * ops.sum(same * d * d)
    loss += 0.5 * ops.sum((1 - same) * ops.clip(margin - d, 0.0, margin) ** 2)
    return loss / embeddings.shape[0]
