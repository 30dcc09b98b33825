# expects: No gradient flows through your code
def euclidean_distance(left, right):
    """The root of the epsilon is one more coordinate in which all pairs differ."""
    difference = np.asarray(left) - np.asarray(right)
    extra = np.full((len(difference), 1), 1e-3)
    return np.linalg.norm(np.hstack([difference, extra]), axis=1)
