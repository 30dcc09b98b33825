# expects: The rows are right, but the best one comes last. Reverse them: best first.
# takes the last k of the ascending order without reversing them, so the best hit comes last; shown by k of 2 or more.
def semantic_search(queries, collection, k):
    q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    c = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    cosines = q @ c.T
    indices = np.argsort(cosines, axis=1)[:, -k:]
    return np.take_along_axis(cosines, indices, axis=1), indices
