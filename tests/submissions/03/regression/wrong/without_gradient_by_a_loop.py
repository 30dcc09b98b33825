# expects: No gradient flows through your code
def length(vector):
    return sum(x * x for x in vector) ** 0.5


def row_cosines(embeddings):
    cosines = []
    for left, right in np.asarray(embeddings).tolist():
        product = sum(a * b for a, b in zip(left, right))
        cosines.append(product / (length(left) * length(right)))
    return cosines


def regression_loss(targets, embeddings):
    squares = []
    for target, cosine in zip(np.asarray(targets).flatten(), row_cosines(embeddings)):
        squares.append((cosine - float(target)) ** 2)
    return sum(squares) / len(squares)
