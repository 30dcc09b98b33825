def contrastive_loss(same, embeddings, margin=5.0):
    embeddings = ops.convert_to_tensor(embeddings)
    same = ops.cast(same, embeddings.dtype)
    difference = embeddings[:, 0, :] - embeddings[:, 1, :]
    squared = ops.sum(difference * difference, axis=-1)
    missing = ops.relu(margin - ops.sqrt(squared + 1e-6))
    per_pair = ops.where(same > 0.5, squared, missing * missing)
    return ops.mean(per_pair) / 2.0
