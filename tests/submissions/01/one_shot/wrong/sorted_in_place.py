# expects: Your code changes `distances` or `same`. Work on copies.
# choose_threshold sorts distances and same in place; the threshold is right, but the caller's arrays are changed whenever they weren't sorted
def choose_threshold(distances, same):
    order = np.argsort(distances)
    distances[:] = distances[order]
    same[:] = same[order]
    step = max(1, len(distances) // 1000)
    best, best_score = distances[0], -1.0
    for tau in distances[::step]:
        score = (np.mean(distances[same == 1] <= tau) + np.mean(distances[same == 0] > tau)) / 2
        if score > best_score:
            best, best_score = tau, score
    return float(best)


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
