# expects: All pairs were summed into one number
def row_cosines(embeddings):
    lengths = np.linalg.norm(embeddings, axis=-1, keepdims=True)
    unit = np.asarray(embeddings) / lengths
    return np.sum(unit[:, 0] * unit[:, 1])


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
