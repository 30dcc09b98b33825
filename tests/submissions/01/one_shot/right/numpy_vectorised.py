def choose_threshold(distances, same):
    order = np.argsort(distances)
    ranked = distances[order]
    accepted = np.cumsum(same[order] == 1) / np.sum(same == 1)
    let_in = np.cumsum(same[order] == 0) / np.sum(same == 0)
    last_of_equals = np.append(ranked[1:] > ranked[:-1], True)
    return ranked[np.argmax(np.where(last_of_equals, accepted - let_in, -1))]


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=-1) <= threshold
