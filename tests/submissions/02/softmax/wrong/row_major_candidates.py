# expects: A value is off
# flattens sides 1, 2, ... row by row, so candidate i isn't row i's positive as soon as there are three sides (right for two sides).
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors = embeddings[:, 0]
    candidates = ops.reshape(embeddings[:, 1:], (-1, embeddings.shape[-1]))
    logits = ops.matmul(anchors, ops.transpose(candidates)) / temperature
    labels = ops.arange(ops.shape(embeddings)[0], dtype="int32")
    return ops.mean(ops.sparse_categorical_crossentropy(labels, logits, from_logits=True))
