# expects: The indices are one too large
def semantic_search(queries, collection, k):
    unit = [x / np.linalg.norm(x, axis=1, keepdims=True) for x in (queries, collection)]
    similarities = np.dot(unit[0], unit[1].T)
    rows = np.argsort(-similarities, axis=1)[:, :k]
    return np.take_along_axis(similarities, rows, axis=1), rows + 1
