# expects: Every cosine is compared with every target: (batch,) and (batch,
# reshapes the targets to (batch, 1), not (batch,), so the difference is a (batch, batch) table; it shows for every batch larger than one whose targets differ
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    cosine = row_cosines(embeddings)
    wanted = ops.cast(ops.reshape(targets, (-1, 1)), cosine.dtype)
    return ops.mean(ops.square(cosine - wanted))
