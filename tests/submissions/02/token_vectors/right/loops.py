def prepare_vectors(table):
    mean = sum(table) / len(table)
    rows = [row - mean for row in table]
    return [row / sum(x * x for x in row) ** 0.5 for row in rows]


def token_importance(counts, a=1e-3):
    total = sum(counts)
    return [a / (a + count / total) for count in counts]
