# expects: The result has shape (4, 3); expected (4, 4).
def similarity_matrix(left, right):
    return left
