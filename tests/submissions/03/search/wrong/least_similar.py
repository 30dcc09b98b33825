# expects: These are the rows that are *least* similar
from sklearn.metrics.pairwise import cosine_similarity


def semantic_search(queries, collection, k):
    similarities = cosine_similarity(queries, collection)
    rows = similarities.argsort(axis=1)[:, :k]
    return np.take_along_axis(similarities, rows, axis=1), rows
