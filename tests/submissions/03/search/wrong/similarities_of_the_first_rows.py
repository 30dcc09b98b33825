# expects: The indices are right, but the similarities are not the cosines of these rows
def semantic_search(queries, collection, k):
    q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    c = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    similarities = q @ c.T
    rows = np.argsort(-similarities, axis=1)[:, :k]
    return similarities[:, :k], rows
