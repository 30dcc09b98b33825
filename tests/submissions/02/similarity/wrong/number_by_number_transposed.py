# expects: work element by element, and these shapes don't match.
def similarity_matrix(left, right):
    return left * right.T
