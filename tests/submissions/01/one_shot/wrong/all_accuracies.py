# expects: expected one number
def choose_threshold(distances, same):
    candidates = np.linspace(0, distances.max(), 200)
    accepted = np.array([np.mean(distances[same == 1] <= t) for t in candidates])
    refused = np.array([np.mean(distances[same == 0] > t) for t in candidates])
    return (accepted + refused) / 2


def verify_one_shot(reference, queries, threshold):
    distances = np.sqrt(np.sum((queries - reference) ** 2, axis=-1))
    return distances <= threshold
