# expects: This stops before the first different pair
def choose_threshold(distances, same):
    return min(d for d, s in zip(distances, same) if s == 0)


def verify_one_shot(reference, queries, threshold):
    distances = np.sqrt(np.sum((queries - reference) ** 2, axis=-1))
    return distances <= threshold
