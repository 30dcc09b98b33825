# expects: FAISS rejects the rows
# the index is made for rows of 6 numbers
import faiss


def semantic_search(queries, collection, k):
    index = faiss.IndexFlatIP(6)
    index.add((collection / np.linalg.norm(collection, axis=1, keepdims=True)).astype("float32"))
    return index.search(
        (queries / np.linalg.norm(queries, axis=1, keepdims=True)).astype("float32"), k
    )
