# expects: Or did no candidate ever replace the first value?
# the comparison is turned around, so no candidate is better than the first value
def choose_threshold(distances, same):
    best, best_threshold = -1.0, None
    for threshold in distances:
        accepted = np.mean(distances[same == 1] <= threshold)
        rejected = np.mean(distances[same == 0] > threshold)
        if accepted + rejected < best:
            best, best_threshold = accepted + rejected, threshold
    return best_threshold


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
