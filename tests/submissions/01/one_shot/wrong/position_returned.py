# expects: Return the threshold itself, not its position
def choose_threshold(distances, same):
    candidates = np.sort(distances)
    accuracies = [
        (np.mean(distances[same == 1] <= t) + np.mean(distances[same == 0] > t)) / 2
        for t in candidates
    ]
    return np.argmax(accuracies)


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
