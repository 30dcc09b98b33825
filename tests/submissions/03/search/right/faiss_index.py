import faiss


def semantic_search(queries, collection, k):
    asked, stored = (np.array(rows, dtype="float32", order="C", copy=True) for rows in (queries, collection))
    faiss.normalize_L2(asked)
    faiss.normalize_L2(stored)
    index = faiss.IndexFlatIP(stored.shape[1])
    index.add(stored)
    similarities, indices = index.search(asked, k)
    return similarities, indices
