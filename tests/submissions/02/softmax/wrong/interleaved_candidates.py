# expects: A value is off
# flattens the candidates row by row (positive 1, near miss 1, positive 2, ...) but takes candidate i as the positive of row i; shown by three sides.
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors = embeddings[:, 0]
    candidates = ops.reshape(embeddings[:, 1:], (-1, embeddings.shape[-1]))
    logits = ops.matmul(anchors, ops.transpose(candidates)) / temperature
    labels = ops.arange(ops.shape(logits)[0])
    return ops.mean(keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True))
