# expects: The rows of the collection are not scaled to unit length: long ones win.
# scales only the queries, so long rows of the collection win; it shows for collections whose rows do not all have length 1
def semantic_search(queries, collection, k):
    queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    table = queries @ collection.T
    indices = np.argsort(-table, axis=1)[:, :k]
    return np.take_along_axis(table, indices, axis=1), indices
