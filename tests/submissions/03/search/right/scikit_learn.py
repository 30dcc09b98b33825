from sklearn.neighbors import NearestNeighbors


def semantic_search(queries, collection, k):
    neighbours = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute")
    distances, rows = neighbours.fit(collection).kneighbors(queries)
    return 1 - distances, rows
