# expects: The rows are right, but not sorted: best first. (`np.argpartition` does not sort.)
# np.argpartition finds the k largest cosines but doesn't sort them, so the hits aren't best first; shows for larger k (with a small k, they often happen to be sorted), for example k = len(collection) = 100.
def semantic_search(queries, collection, k):
    queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    collection = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    cosines = queries @ collection.T
    indices = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    return np.take_along_axis(cosines, indices, axis=1), indices
