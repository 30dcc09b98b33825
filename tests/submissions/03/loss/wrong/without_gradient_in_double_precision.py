# expects: No gradient flows through your code
def triplet_loss(targets, embeddings, margin=1.0):
    distances = np.array([np.asarray(d, dtype="float64") for d in triplet_distances(embeddings)])
    gap = distances[0] - distances[1] + margin
    return float(np.mean((gap + np.abs(gap)) / 2))
