def choose_threshold(distances, same):
    distances = np.asarray(distances)
    order = np.argsort(distances, kind="stable")
    ranked = distances[order]
    similar = np.asarray(same)[order] == 1
    accepted = np.cumsum(similar) / max(1, similar.sum())
    wrongly = np.cumsum(~similar) / max(1, (~similar).sum())
    last_of_equals = np.append(ranked[1:] > ranked[:-1], True)
    gain = np.where(last_of_equals, accepted - wrongly, -np.inf)
    return ranked[np.argmax(gain)]


def verify_one_shot(reference, queries, threshold):
    farther = np.sqrt(np.square(queries - reference).sum(axis=-1)) > threshold
    return np.logical_not(farther)
