# expects: With one distance sixty times as large as the next, a better threshold is possible. Try th
# choose_threshold tries 1,000 values evenly spread between the smallest and the largest distance, not the distances; shows with an outlier, such as similar 1, 2 and different 3, 4, 100000
def choose_threshold(distances, same):
    candidates = np.linspace(np.min(distances), np.max(distances), 1000)
    similar, different = distances[same == 1], distances[same == 0]
    scores = [(np.mean(similar <= tau) + np.mean(different > tau)) / 2 for tau in candidates]
    return float(candidates[np.argmax(scores)])


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
