# expects: The threshold is hard-coded
def choose_threshold(distances, same):
    best, best_threshold = 0, 0
    for threshold in np.sort(distances):
        accepted = np.mean(distances[same == 1] <= threshold)
        refused = np.mean(distances[same == 0] > threshold)
        if accepted + refused > best:
            best, best_threshold = accepted + refused, threshold
    return best_threshold


def verify_one_shot(reference, queries, threshold):
    distances = np.sqrt(((queries - reference) ** 2).sum(axis=1))
    return distances <= 1.0
