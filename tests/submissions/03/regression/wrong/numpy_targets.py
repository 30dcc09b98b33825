# expects: Your code works on numbers, but not in training, where Keras calls it once with symbolic t
# reshapes the targets with NumPy, which works on arrays but raises an error on the symbolic or traced targets that Keras passes in compiled training.
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    flat = np.asarray(targets, dtype="float32").reshape(-1)
    return ops.mean(ops.square(row_cosines(embeddings) - flat))
