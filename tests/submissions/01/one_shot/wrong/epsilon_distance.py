# expects: The epsilon of Exercise 1 is in the distance. Leave it out here.
# verify_one_shot adds the epsilon of the training distance, so it isn't the Euclidean distance; a query equal to the reference with threshold 0 is rejected.
def choose_threshold(distances, same):
    ordered = np.sort(distances)
    candidates = ordered[np.unique(np.linspace(0, len(ordered) - 1, 1000).round().astype(int))]
    scores = [
        (np.mean(distances[same == 1] <= tau) + np.mean(distances[same == 0] > tau)) / 2
        for tau in candidates
    ]
    return float(candidates[np.argmax(scores)])


def verify_one_shot(reference, queries, threshold):
    distances = np.sqrt(np.sum((queries - reference) ** 2, axis=1) + 1e-6)
    return distances <= threshold
