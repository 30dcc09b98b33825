# expects: No gradient flows through your code
def hard_negatives(similarities):
    s = np.array(similarities, dtype=np.float64)
    b = len(s)
    mean = (s.sum(axis=1) - np.diag(s)) / (b - 1)
    np.fill_diagonal(s, -np.inf)
    return s.max(axis=1), mean
