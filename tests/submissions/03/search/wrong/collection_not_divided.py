# expects: The rows of the collection are not scaled to unit length
def semantic_search(queries, collection, k):
    unit = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    similarities = unit @ collection.T
    rows = np.argsort(-similarities, axis=1)[:, :k]
    return np.take_along_axis(similarities, rows, axis=1), rows
