def cosine(a, b):
    return float(np.dot(a, b) / (np.dot(a, a) * np.dot(b, b)) ** 0.5)


def semantic_search(queries, collection, k):
    similarities, numbers = [], []
    for query in queries:
        scored = [(cosine(query, row), number) for number, row in enumerate(collection)]
        scored.sort(reverse=True)
        similarities.append([score for score, _ in scored[:k]])
        numbers.append([number for _, number in scored[:k]])
    return similarities, numbers
