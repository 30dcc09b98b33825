# expects: The rows are divided by their order, and not by their embeddings
def cluster(embeddings, k):
    return [row % k for row in range(len(embeddings))]
