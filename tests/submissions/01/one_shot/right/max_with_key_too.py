def choose_threshold(distances, same):
    near = np.sort(np.extract(np.asarray(same) == 1, distances))
    far = np.sort(np.extract(np.asarray(same) == 0, distances))
    ranked = np.sort(np.concatenate([near, far]))
    picks = np.linspace(0, len(ranked) - 1, min(len(ranked), 1000)).round().astype(int)

    def balanced_accuracy(tau):
        hits = np.searchsorted(near, tau, side="right") / len(near)
        alarms = np.searchsorted(far, tau, side="right") / len(far)
        return (hits + 1 - alarms) / 2

    return float(max(ranked[picks], key=balanced_accuracy))


def verify_one_shot(reference, queries, threshold):
    gaps = np.asarray(queries) - np.asarray(reference)[None, :]
    return np.linalg.norm(gaps, axis=1) <= threshold
