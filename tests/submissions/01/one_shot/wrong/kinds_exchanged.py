# expects: A reversed comparison gives this threshold
# looks for the worst instead of the best
def choose_threshold(distances, same):
    def balanced_accuracy(threshold):
        accepted = np.mean(distances[same == 1] <= threshold)
        refused = np.mean(distances[same == 0] > threshold)
        return (accepted + refused) / 2

    return min(distances, key=balanced_accuracy)


def verify_one_shot(reference, queries, threshold):
    distances = np.sqrt(np.sum((queries - reference) ** 2, axis=-1))
    return distances <= threshold
