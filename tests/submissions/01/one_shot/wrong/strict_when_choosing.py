# expects: A pair exactly at the threshold must be accepted
def choose_threshold(distances, same):
    candidates = np.unique(distances)
    scores = [
        (np.mean(distances[same == 1] < tau) + np.mean(distances[same == 0] >= tau)) / 2
        for tau in candidates
    ]
    return float(candidates[np.argmax(scores)])


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(np.asarray(queries) - np.asarray(reference), axis=1) <= threshold
