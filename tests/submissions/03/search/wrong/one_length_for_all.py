# expects: All rows are divided by one number
def semantic_search(queries, collection, k):
    queries = queries / np.linalg.norm(queries)
    collection = collection / np.linalg.norm(collection)
    similarities = queries @ collection.T
    rows = np.argsort(-similarities, axis=1)[:, :k]
    return np.take_along_axis(similarities, rows, axis=1), rows
