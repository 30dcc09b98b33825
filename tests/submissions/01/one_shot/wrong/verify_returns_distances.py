# expects: These are the distances. Compare them
def choose_threshold(distances, same):
    def balanced_accuracy(t):
        return (np.mean(distances[same == 1] <= t) + np.mean(distances[same == 0] > t)) / 2

    return max(distances, key=balanced_accuracy)


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=-1)
