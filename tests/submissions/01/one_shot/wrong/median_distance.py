# expects: This is the median distance
def choose_threshold(distances, same):
    return float(np.median(distances))


def verify_one_shot(reference, queries, threshold):
    distances = np.sqrt(np.sum((queries - reference) ** 2, axis=-1))
    return distances <= threshold
