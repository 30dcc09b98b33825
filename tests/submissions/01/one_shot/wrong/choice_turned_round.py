# expects: A reversed comparison gives this threshold
# accepts what is far, as with a similarity
def choose_threshold(distances, same):
    def balanced_accuracy(threshold):
        accepted = np.mean(distances[same == 1] > threshold)
        refused = np.mean(distances[same == 0] <= threshold)
        return (accepted + refused) / 2

    return max(distances, key=balanced_accuracy)


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
