# expects: The indices are not integers
def semantic_search(queries, collection, k):
    q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    c = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    found = np.zeros((2, len(q), k))
    for i, similarities in enumerate(q @ c.T):
        best = np.argsort(-similarities)[:k]
        found[0, i], found[1, i] = similarities[best], best
    return found[0], found[1]
