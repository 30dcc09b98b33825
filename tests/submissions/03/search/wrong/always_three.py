# expects: With k = 4 a query got 3 row(s)
import faiss


def semantic_search(queries, collection, k):
    def unit(rows):
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("float32")

    index = faiss.IndexFlatIP(collection.shape[1])
    index.add(unit(collection))
    return index.search(unit(queries), 3)
