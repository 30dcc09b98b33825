# expects: The *squared* distance is compared with the threshold
def choose_threshold(distances, same):
    best, best_threshold = 0, 0
    for threshold in np.sort(distances):
        accepted = np.mean(distances[same == 1] <= threshold)
        refused = np.mean(distances[same == 0] > threshold)
        if accepted + refused > best:
            best, best_threshold = accepted + refused, threshold
    return best_threshold


def verify_one_shot(reference, queries, threshold):
    return np.sum((queries - reference) ** 2, axis=-1) <= threshold
