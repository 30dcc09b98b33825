# expects: No gradient flows through your code
from scipy.spatial.distance import cosine
from sklearn.metrics import mean_squared_error


def row_cosines(embeddings):
    pairs = ops.convert_to_numpy(embeddings)
    return np.array([1 - cosine(left, right) for left, right in pairs])


def regression_loss(targets, embeddings):
    return mean_squared_error(np.ravel(targets), row_cosines(embeddings))
