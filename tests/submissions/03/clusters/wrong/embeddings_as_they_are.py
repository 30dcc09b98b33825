# expects: The result has shape (12, 5); expected (12,)
def cluster(embeddings, k):
    return embeddings
