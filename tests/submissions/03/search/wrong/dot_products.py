# expects: These are dot products: long embeddings win
def semantic_search(queries, collection, k):
    similarities = queries @ collection.T
    rows = np.argsort(-similarities, axis=1)[:, :k]
    return np.take_along_axis(similarities, rows, axis=1), rows
