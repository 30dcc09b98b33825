# expects: The rows are right, but not sorted
def semantic_search(queries, collection, k):
    q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    c = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    scores = q @ c.T
    indices = np.argpartition(scores, -k, axis=1)[:, -k:]
    return np.take_along_axis(scores, indices, axis=1), indices
