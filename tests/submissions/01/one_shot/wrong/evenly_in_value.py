# expects: With one distance sixty times
# choose_threshold tries 1,000 values evenly spread from the smallest to the largest distance, not in rank; with one outlier of 1e6 among distances from 0 to 5, none of them is useful.
def choose_threshold(distances, same):
    candidates = np.linspace(np.min(distances), np.max(distances), 1000)
    scores = [
        (np.mean(distances[same == 1] <= tau) + np.mean(distances[same == 0] > tau)) / 2 for tau in candidates
    ]
    return float(candidates[np.argmax(scores)])


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
