# expects: Your code changes the embeddings in place. (`/=` and `-=` do that, and so does `faiss.norm
# faiss.normalize_L2 scales the given arrays themselves if they are contiguous float32 (ascontiguousarray makes no copy then), so the caller's queries and collection are changed.
def semantic_search(queries, collection, k):
    import faiss

    queries = np.ascontiguousarray(queries, dtype="float32")
    collection = np.ascontiguousarray(collection, dtype="float32")
    faiss.normalize_L2(queries)
    faiss.normalize_L2(collection)
    index = faiss.IndexFlatIP(collection.shape[1])
    index.add(collection)
    return index.search(queries, k)
