# expects: Your code changes the embeddings in place
import faiss


def semantic_search(queries, collection, k):
    faiss.normalize_L2(queries)
    faiss.normalize_L2(collection)
    index = faiss.IndexFlatIP(collection.shape[1])
    index.add(collection)
    return index.search(queries, k)
