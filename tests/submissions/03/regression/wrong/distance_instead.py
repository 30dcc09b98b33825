# expects: This is 1 - cosine, a distance
from scipy.spatial.distance import cosine


def row_cosines(embeddings):
    return np.array([cosine(left, right) for left, right in np.asarray(embeddings)])


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
