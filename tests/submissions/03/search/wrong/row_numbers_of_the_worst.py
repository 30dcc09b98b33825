# expects: The similarities are right, but the indices don't belong to these rows
def semantic_search(queries, collection, k):
    q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    c = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    similarities = q @ c.T
    best = np.sort(similarities, axis=1)[:, ::-1][:, :k]
    return best, np.argsort(similarities, axis=1)[:, :k]
