# expects: Did the centres move until they came to rest
def cluster(embeddings, k):
    centres = embeddings[:k]
    distances = np.linalg.norm(embeddings[:, None] - centres[None], axis=-1)
    return distances.argmin(axis=1)
