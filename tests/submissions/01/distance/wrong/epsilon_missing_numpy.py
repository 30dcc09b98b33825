# expects: Add 1e-6 inside the root
def euclidean_distance(left, right):
    return np.linalg.norm(np.asarray(left) - np.asarray(right), axis=1)
