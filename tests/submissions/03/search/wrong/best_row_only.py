# expects: Only the best row is returned
def semantic_search(queries, collection, k):
    q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    c = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    similarities = q @ c.T
    return similarities.max(axis=1), similarities.argmax(axis=1)
