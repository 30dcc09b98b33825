# expects: All rows of the collection are returned. Keep the best k
from sklearn.metrics.pairwise import cosine_similarity


def semantic_search(queries, collection, k):
    similarities = cosine_similarity(queries, collection)
    rows = np.argsort(-similarities, axis=1)
    return np.take_along_axis(similarities, rows, axis=1), rows
