# expects: Return two arrays: the similarities and the indices
def semantic_search(queries, collection, k):
    q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    c = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    return -np.sort(-(q @ c.T), axis=1)[:, :k]
