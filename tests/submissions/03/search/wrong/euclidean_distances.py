# expects: These are Euclidean distances. Search by the cosine
from scipy.spatial.distance import cdist


def semantic_search(queries, collection, k):
    distances = cdist(queries, collection)
    rows = np.argsort(distances, axis=1)[:, :k]
    return np.take_along_axis(distances, rows, axis=1), rows
