# expects: These are distances of the unit vectors
import faiss


def semantic_search(queries, collection, k):
    def unit(rows):
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("float32")

    index = faiss.IndexFlatL2(collection.shape[1])
    index.add(unit(collection))
    return index.search(unit(queries), k)
