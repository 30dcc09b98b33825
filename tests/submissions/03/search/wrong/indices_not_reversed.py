# expects: The similarities are right, but the indices don't belong to these rows
# similarities are best first, but the indices are worst first, so they do not belong together; right for k=1, it shows for k of 2 or more
def semantic_search(queries, collection, k):
    queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    collection = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    table = queries @ collection.T
    similarities = np.sort(table, axis=1)[:, ::-1][:, :k]
    indices = np.argsort(table, axis=1)[:, -k:]
    return similarities, indices
