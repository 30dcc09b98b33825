# expects: Right is compared with itself.
def similarity_matrix(left, right):
    return right @ right.T
