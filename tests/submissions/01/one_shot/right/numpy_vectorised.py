def choose_threshold(distances, same):
    order = np.argsort(distances)
    accepted = np.cumsum(same[order] == 1) / np.sum(same == 1)
    let_in = np.cumsum(same[order] == 0) / np.sum(same == 0)
    return distances[order][np.argmax(accepted - let_in)]


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=-1) <= threshold
