# expects: Left is compared with itself.
def similarity_matrix(left, right):
    return left @ left.T
