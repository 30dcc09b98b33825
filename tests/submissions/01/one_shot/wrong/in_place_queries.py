# expects: Your code changes `queries` in place (as `/=`, `+=`, `.sort()`, and `.append()` do). Work
# verify_one_shot subtracts the reference from the caller's queries in place; the same queries with a second reference give wrong answers.
def choose_threshold(distances, same):
    candidates = np.unique(distances)
    candidates = candidates[:: max(1, len(candidates) // 1000)]
    scores = [
        np.mean(distances[same == 1] <= t) + np.mean(distances[same == 0] > t) for t in candidates
    ]
    return candidates[np.argmax(scores)]


def verify_one_shot(reference, queries, threshold):
    queries -= reference  # no copy: the queries may be many
    return np.sqrt(np.einsum("nd,nd->n", queries, queries)) <= threshold
