# expects: This maximizes plain accuracy
def choose_threshold(distances, same):
    return max(distances, key=lambda t: np.mean((distances <= t) == (same == 1)))


def verify_one_shot(reference, queries, threshold):
    distances = np.sqrt(np.sum((queries - reference) ** 2, axis=-1))
    return distances <= threshold
