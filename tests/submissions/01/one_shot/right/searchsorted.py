def choose_threshold(distances, same):
    distances, same = np.asarray(distances), np.asarray(same)
    candidates = np.unique(distances)
    similar, different = (np.sort(distances[same == value]) for value in (1, 0))
    accepted = np.searchsorted(similar, candidates, side="right") / similar.size
    mistaken = np.searchsorted(different, candidates, side="right") / different.size
    return float(candidates[np.argmax(accepted + 1 - mistaken)])


def verify_one_shot(reference, queries, threshold):
    difference = np.asarray(queries) - np.asarray(reference)[None]
    return np.sqrt(np.einsum("nd,nd->n", difference, difference)) <= threshold
