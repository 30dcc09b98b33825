# expects: This is 1 minus the probability.
def softmax_loss(targets, embeddings, *, temperature=0.1):
    candidates = ops.concatenate([embeddings[:, side] for side in range(1, embeddings.shape[1])])
    logits = ops.matmul(embeddings[:, 0], ops.transpose(candidates)) / temperature
    return ops.mean(1.0 - ops.diagonal(ops.softmax(logits, axis=1)))
