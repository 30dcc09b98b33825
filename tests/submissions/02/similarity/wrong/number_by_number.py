# expects: This multiplies element by element, (batch, dim).
def similarity_matrix(left, right):
    return left * right
