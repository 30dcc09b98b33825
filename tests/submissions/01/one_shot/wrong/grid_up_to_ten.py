# expects: is possible
def choose_threshold(distances, same):
    grid = np.linspace(0, 10, 2001)
    accepted = np.array([np.mean(distances[same == 1] <= tau) for tau in grid])
    rejected = np.array([np.mean(distances[same == 0] > tau) for tau in grid])
    return float(grid[np.argmax(accepted + rejected)])


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(np.asarray(queries) - np.asarray(reference), axis=1) <= threshold
