def softmax_loss(targets, embeddings, *, temperature=0.1):
    candidates = ops.concatenate([embeddings[:, side] for side in range(1, embeddings.shape[1])])
    logits = ops.matmul(embeddings[:, 0], ops.transpose(candidates)) / temperature
    labels = ops.arange(ops.shape(logits)[0])
    losses = keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)
    return ops.mean(losses)
