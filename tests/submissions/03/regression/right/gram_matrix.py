def row_cosines(embeddings):
    gram = ops.einsum("bsd,btd->bst", embeddings, embeddings)
    return gram[:, 0, 1] / (ops.sqrt(gram[:, 0, 0]) * ops.sqrt(gram[:, 1, 1]))


def regression_loss(targets, embeddings):
    predicted = row_cosines(embeddings)
    error = ops.cast(ops.reshape(targets, (-1,)), predicted.dtype) - predicted
    return ops.mean(error * error)
