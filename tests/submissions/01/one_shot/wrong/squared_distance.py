# expects: The *squared* distance is compared with the threshold.
# verify_one_shot compares the squared distance with the threshold; shows for distances between sqrt(threshold) and threshold, such as distance 2 with threshold 3
def choose_threshold(distances, same):
    candidates = np.sort(distances)
    if len(candidates) > 1000:
        candidates = candidates[np.linspace(0, len(candidates) - 1, 1000).astype(int)]
    best, best_score = candidates[0], -1.0
    for tau in candidates:
        score = (np.mean(distances[same == 1] <= tau) + np.mean(distances[same == 0] > tau)) / 2
        if score > best_score:
            best, best_score = tau, score
    return best


def verify_one_shot(reference, queries, threshold):
    return np.sum((queries - reference) ** 2, axis=1) <= threshold
