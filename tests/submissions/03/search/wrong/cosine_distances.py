# expects: These are 1 - cosine, distances. Return the cosines
from sklearn.neighbors import NearestNeighbors


def semantic_search(queries, collection, k):
    neighbours = NearestNeighbors(n_neighbors=k, metric="cosine").fit(collection)
    return neighbours.kneighbors(queries)
