# expects: No gradient flows through your code
def row_cosines(embeddings):
    embeddings = np.asarray(embeddings, dtype="float64")
    unit = embeddings / np.linalg.norm(embeddings, axis=-1, keepdims=True)
    return np.einsum("bd,bd->b", unit[:, 0], unit[:, 1])


def regression_loss(targets, embeddings):
    return ((row_cosines(embeddings) - np.asarray(targets).ravel()) ** 2).mean()
