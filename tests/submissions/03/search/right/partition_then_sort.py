def semantic_search(queries, collection, k):
    def scaled(rows):
        rows = np.asarray(rows)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(lengths > 0, lengths, 1)

    cosines = scaled(queries) @ scaled(collection).T
    count = min(k, cosines.shape[1])
    top = np.argpartition(cosines, -count, axis=1)[:, -count:]
    values = np.take_along_axis(cosines, top, axis=1)
    order = np.argsort(-values, axis=1)
    return np.take_along_axis(values, order, axis=1), np.take_along_axis(top, order, axis=1)
