# expects: A value is off
# leaves out the best hit, as if each query were itself in the collection; it shows for every query
def semantic_search(queries, collection, k):
    queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    collection = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    table = queries @ collection.T
    indices = np.argsort(-table, axis=1)[:, 1 : k + 1]
    return np.take_along_axis(table, indices, axis=1), indices
