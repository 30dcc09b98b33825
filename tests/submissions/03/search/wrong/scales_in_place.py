# expects: Your code changes the embeddings in place. (`/=` and `-=` do that, and so does `faiss.norm
# asarray makes no copy of a float32 array, so /= changes the caller's arrays; it shows for float32 rows that do not have length 1
def semantic_search(queries, collection, k):
    queries = np.asarray(queries, dtype="float32")
    collection = np.asarray(collection, dtype="float32")
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    collection /= np.linalg.norm(collection, axis=1, keepdims=True)
    table = queries @ collection.T
    indices = np.argsort(-table, axis=1)[:, :k]
    return np.take_along_axis(table, indices, axis=1), indices
