import faiss


def semantic_search(queries, collection, k):
    queries = np.array(queries, dtype="float32", order="C")
    collection = np.array(collection, dtype="float32", order="C")
    faiss.normalize_L2(queries)
    faiss.normalize_L2(collection)
    index = faiss.IndexFlat(collection.shape[1], faiss.METRIC_INNER_PRODUCT)
    index.add(collection)
    similarities, rows = index.search(queries, k)
    return similarities, rows
