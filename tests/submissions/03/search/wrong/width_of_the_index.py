# expects: FAISS rejects the rows: the index must be as wide as they are
import faiss


def semantic_search(queries, collection, k):
    def unit(rows):
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("float32")

    index = faiss.IndexFlatIP(len(collection))
    index.add(unit(collection))
    return index.search(unit(queries), k)
