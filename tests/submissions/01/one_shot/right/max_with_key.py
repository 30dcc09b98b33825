def choose_threshold(distances, same):
    distances = np.asarray(distances)
    similar = np.asarray(same) == 1
    step = max(1, len(distances) // 1000)

    def balanced_accuracy(threshold):
        accepted = distances <= threshold
        return (accepted[similar].mean() + (~accepted[~similar]).mean()) / 2

    return float(max(np.sort(distances)[::step], key=balanced_accuracy))


def verify_one_shot(reference, queries, threshold):
    return np.sqrt(np.square(np.subtract(queries, reference)).sum(axis=-1)) <= threshold
