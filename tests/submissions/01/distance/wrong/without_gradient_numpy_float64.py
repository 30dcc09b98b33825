# expects: No gradient flows through your code
def euclidean_distance(left, right):
    left = np.asarray(left, dtype="float64")
    right = np.asarray(right, dtype="float64")
    return np.sqrt(((left - right) ** 2).sum(axis=1) + 1e-6)
