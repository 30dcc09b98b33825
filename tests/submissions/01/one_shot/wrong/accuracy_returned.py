# expects: This is the accuracy at the best threshold
def choose_threshold(distances, same):
    best = 0.0
    for threshold in distances:
        accepted = (distances[same == 1] <= threshold).mean()
        refused = (distances[same == 0] > threshold).mean()
        best = max(best, (accepted + refused) / 2)
    return best


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
