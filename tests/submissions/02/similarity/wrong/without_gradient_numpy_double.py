# expects: No gradient flows through your code
def similarity_matrix(left, right):
    left = np.asarray(left, dtype=np.float64)
    right = np.asarray(right, dtype=np.float64)
    return left @ right.T
