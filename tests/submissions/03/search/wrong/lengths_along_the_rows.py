# expects: The lengths are taken along axis 0, over the rows
def semantic_search(queries, collection, k):
    queries = queries / np.linalg.norm(queries, axis=0)
    collection = collection / np.linalg.norm(collection, axis=0)
    similarities = queries @ collection.T
    rows = np.argsort(-similarities, axis=1)[:, :k]
    return np.take_along_axis(similarities, rows, axis=1), rows
