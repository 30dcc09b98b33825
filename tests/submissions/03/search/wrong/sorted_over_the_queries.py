# expects: The similarities are sorted along axis 0, over the queries
def semantic_search(queries, collection, k):
    q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    c = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    similarities = q @ c.T
    rows = np.argsort(-similarities, axis=0)[:, :k]
    return np.take_along_axis(similarities, rows, axis=1), rows
