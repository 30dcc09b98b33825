# expects: The rows are right, but not sorted: best first
def semantic_search(queries, collection, k):
    q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    c = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    similarities = q @ c.T
    rows = np.sort(np.argpartition(-similarities, k - 1, axis=1)[:, :k], axis=1)
    return np.take_along_axis(similarities, rows, axis=1), rows
