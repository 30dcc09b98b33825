# expects: These are dot products: long embeddings win
import faiss


def semantic_search(queries, collection, k):
    index = faiss.IndexFlatIP(collection.shape[1])
    index.add(collection)
    return index.search(queries, k)
