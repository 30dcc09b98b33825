def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors = embeddings[:, 0]
    logits = [
        anchors @ ops.transpose(embeddings[:, side]) / temperature
        for side in range(1, embeddings.shape[1])
    ]
    all_logits = ops.concatenate(logits, axis=1)
    return ops.mean(ops.logsumexp(all_logits, axis=1) - ops.diagonal(logits[0]))
