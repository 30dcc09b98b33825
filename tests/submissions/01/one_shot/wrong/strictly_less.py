# expects: A pair exactly at the threshold must be accepted: D <= threshold. For distances
# choose_threshold scores with distance < tau instead of <= tau, so it returns the next larger distance, which the real rule accepts, too; shows for distances 1 (similar) and 2 (different): returns 2 instead of a value from 1 up to below 2
def choose_threshold(distances, same):
    candidates = np.sort(distances)
    if len(candidates) > 1000:
        candidates = candidates[np.linspace(0, len(candidates) - 1, 1000).astype(int)]
    scores = []
    for tau in candidates:
        accepted = np.mean(distances[same == 1] < tau)
        rejected = np.mean(distances[same == 0] >= tau)
        scores.append((accepted + rejected) / 2)
    return candidates[np.argmax(scores)]


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
