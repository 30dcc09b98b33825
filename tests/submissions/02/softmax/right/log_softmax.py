def softmax_loss(targets, embeddings, *, temperature=0.1):
    candidates = ops.concatenate([embeddings[:, side] for side in range(1, embeddings.shape[1])])
    logits = ops.matmul(embeddings[:, 0], ops.transpose(candidates)) / temperature
    return -ops.mean(ops.diagonal(ops.log_softmax(logits, axis=1)))
