# expects: Your code changes `distances` or `same`. Work on copies.
# choose_threshold sorts distances in place; the number returned is right, but an unsorted array is changed, and no longer belongs to same.
def choose_threshold(distances, same):
    same = np.asarray(same)[np.argsort(distances, kind="stable")]
    distances.sort()
    ranks = np.unique(np.linspace(0, len(distances) - 1, 1000).round().astype(int))
    candidates = distances[ranks]
    scores = [
        (np.mean(distances[same == 1] <= tau) + np.mean(distances[same == 0] > tau)) / 2
        for tau in candidates
    ]
    return float(candidates[np.argmax(scores)])


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
