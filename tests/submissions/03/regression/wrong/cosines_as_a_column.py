# expects: Every cosine is compared with every target: (batch,) and (batch,
# makes the cosines a column to fit targets of shape (batch, 1), so targets of shape (batch,) give a (batch, batch) table; shown by targets (batch,).
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    # Keras passes targets as a column
    column = ops.expand_dims(row_cosines(embeddings), -1)
    return ops.mean(ops.square(column - ops.cast(targets, column.dtype)))
