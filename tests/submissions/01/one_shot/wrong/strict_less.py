# expects: A pair exactly at the threshold must be accepted: D <= threshold. For distances
# choose_threshold scores "accept if D < tau" instead of D <= tau, so it returns one distance too much; distances 1, 2 similar and 3, 4 different give 3, which accepts a different pair.
def choose_threshold(distances, same):
    best, best_score = 0.0, -1.0
    for threshold in np.unique(distances):
        accepted = np.mean(distances[same == 1] < threshold)
        rejected = np.mean(distances[same == 0] >= threshold)
        if (accepted + rejected) / 2 > best_score:
            best, best_score = threshold, (accepted + rejected) / 2
    return best


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
