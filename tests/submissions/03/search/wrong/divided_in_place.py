# expects: Your code changes the embeddings in place
def semantic_search(queries, collection, k):
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    collection /= np.linalg.norm(collection, axis=1, keepdims=True)
    similarities = queries @ collection.T
    rows = np.argsort(-similarities)[:, :k]
    return np.sort(similarities)[:, ::-1][:, :k], rows
