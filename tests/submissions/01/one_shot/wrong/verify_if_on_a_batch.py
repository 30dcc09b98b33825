# expects: Your code stopped with `ValueError`
def choose_threshold(distances, same):
    def balanced_accuracy(t):
        return (np.mean(distances[same == 1] <= t) + np.mean(distances[same == 0] > t)) / 2

    return max(distances, key=balanced_accuracy)


def verify_one_shot(reference, queries, threshold):
    distances = np.linalg.norm(queries - reference, axis=1)
    if distances <= threshold:
        return True
    return False
