# expects: The rows are right, but the best one comes last
def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def semantic_search(queries, collection, k):
    similarities = unit(queries) @ unit(collection).T
    rows = np.argsort(similarities, axis=1)[:, -k:]
    return np.take_along_axis(similarities, rows, axis=1), rows
