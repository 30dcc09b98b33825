# expects: is a `return` missing?
def choose_threshold(distances, same):
    shares = {}
    for t in distances:
        shares[t] = np.mean(distances[same == 1] <= t) + np.mean(distances[same == 0] > t)
    threshold = max(shares, key=shares.get)
    print("best threshold:", threshold)


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
