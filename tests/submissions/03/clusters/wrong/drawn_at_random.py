# expects: The clusters are not those of k-means
def cluster(embeddings, k):
    rng = np.random.default_rng(0)
    return rng.integers(0, k, size=len(embeddings))
