# expects: No gradient flows through your code
def similarity_matrix(left, right):
    similarities = []
    for a in np.asarray(left).tolist():
        row = []
        for b in np.asarray(right).tolist():
            row.append(sum(x * y for x, y in zip(a, b)))
        similarities.append(row)
    return similarities
