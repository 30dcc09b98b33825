# expects: Queries and collection are swapped: look for each *query* in the collection
def semantic_search(queries, collection, k):
    q = ops.normalize(queries, axis=-1)
    c = ops.normalize(collection, axis=-1)
    similarities = ops.convert_to_numpy(ops.matmul(c, ops.transpose(q)))
    rows = np.argsort(-similarities, axis=1)[:, :k]
    return np.take_along_axis(similarities, rows, axis=1), rows
