# expects: the queries are not scaled to unit length
import faiss


def semantic_search(queries, collection, k):
    unit = collection / np.linalg.norm(collection, axis=1, keepdims=True)
    index = faiss.IndexFlatIP(unit.shape[1])
    index.add(unit)
    return index.search(queries, k)
