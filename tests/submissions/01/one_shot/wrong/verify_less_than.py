# expects: A distance equal to the threshold is rejected
def choose_threshold(distances, same):
    def accuracy(t):
        return ((distances[same == 1] <= t).mean() + (distances[same == 0] > t).mean()) / 2

    return max(distances, key=accuracy)


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=-1) < threshold
