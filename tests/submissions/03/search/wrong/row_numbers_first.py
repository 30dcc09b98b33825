# expects: The two are swapped: return the similarities first
import faiss


def semantic_search(queries, collection, k):
    queries, collection = queries.copy(), collection.copy()
    faiss.normalize_L2(queries)
    faiss.normalize_L2(collection)
    index = faiss.IndexFlatIP(collection.shape[1])
    index.add(collection)
    similarities, rows = index.search(queries, k)
    return rows, similarities
