# expects: Only the first coordinate is compared
def choose_threshold(distances, same):
    def balanced_accuracy(t):
        return (np.mean(distances[same == 1] <= t) + np.mean(distances[same == 0] > t)) / 2

    return max(distances, key=balanced_accuracy)


def verify_one_shot(reference, queries, threshold):
    return [abs(query[0] - reference[0]) <= threshold for query in queries]
