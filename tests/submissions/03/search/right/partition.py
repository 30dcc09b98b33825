def semantic_search(queries, collection, k):
    lengths = np.outer(np.linalg.norm(queries, axis=1), np.linalg.norm(collection, axis=1))
    table = np.einsum("md,nd->mn", queries, collection) / lengths
    best = np.argpartition(-table, k - 1, axis=1)[:, :k]
    similarities = np.take_along_axis(table, best, axis=1)
    order = np.argsort(-similarities, axis=1)
    return np.take_along_axis(similarities, order, axis=1), np.take_along_axis(best, order, axis=1)
