# expects: The matrix product needs (queries, dim) times (dim, rows): transpose the collection
def semantic_search(queries, collection, k):
    unit_queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    unit_rows = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    similarities = unit_queries @ unit_rows
    rows = np.argsort(-similarities, axis=1)[:, :k]
    return np.take_along_axis(similarities, rows, axis=1), rows
