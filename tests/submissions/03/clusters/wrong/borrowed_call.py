# expects: course's own
def cluster(embeddings, k):
    return searching.cluster(embeddings, k)
