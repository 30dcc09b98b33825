# expects: A value is off
# drops rows with a cosine of nearly 1, as if they were the query itself, although they're the best hits; shown by a query that is also in the collection.
def semantic_search(queries, collection, k):
    q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    c = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    cosines = q @ c.T
    # A sentence shouldn't find itself
    cosines = np.where(cosines > 0.9999, -1.0, cosines)
    indices = np.argsort(-cosines, axis=1)[:, :k]
    return np.take_along_axis(cosines, indices, axis=1), indices
