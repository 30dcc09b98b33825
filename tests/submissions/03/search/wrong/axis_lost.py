# expects: The rows can't be divided by the lengths: (rows,) doesn't match (rows, dim)
def semantic_search(queries, collection, k):
    queries = queries / np.linalg.norm(queries, axis=1)
    collection = collection / np.linalg.norm(collection, axis=1)
    similarities = queries @ collection.T
    rows = np.argsort(-similarities, axis=1)[:, :k]
    return np.take_along_axis(similarities, rows, axis=1), rows
