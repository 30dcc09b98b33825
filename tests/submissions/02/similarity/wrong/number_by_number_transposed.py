# expects: go number by number, and these shapes do not fit.
def similarity_matrix(left, right):
    return left * right.T
