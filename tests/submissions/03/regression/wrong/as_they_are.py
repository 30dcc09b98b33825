# expects: The result has shape (5, 2, 3); expected (5,)
def row_cosines(embeddings):
    return embeddings


def regression_loss(targets, embeddings):
    return targets
