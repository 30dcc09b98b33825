# expects: Each coordinate is compared on its own
def choose_threshold(distances, same):
    def balanced_accuracy(t):
        return (np.mean(distances[same == 1] <= t) + np.mean(distances[same == 0] > t)) / 2

    return max(distances, key=balanced_accuracy)


def verify_one_shot(reference, queries, threshold):
    return np.abs(queries - reference) <= threshold
