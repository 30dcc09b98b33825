def semantic_search(queries, collection, k):
    queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    collection = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    similarities = np.einsum("md,nd->mn", queries, collection)
    rows = np.argsort(similarities, axis=1)[:, ::-1][:, :k]
    return np.take_along_axis(similarities, rows, axis=1), rows
