# expects: This multiplies number by number, (batch, dim).
def similarity_matrix(left, right):
    return left * right
