def pair_similarities(embed, left, right, batch_size):
    result = np.zeros(len(left))
    for start in range(0, len(left), batch_size):
        part = slice(start, start + batch_size)
        first, second = (np.asarray(embed(ids)) for ids in pad_pair(left[part], right[part]))
        result[part] = np.einsum("nd,nd->n", first, second)
    return result


def evaluate(validation, test):
    similarities, same = (np.asarray(values) for values in validation)
    duplicates, others = np.sort(similarities[same == 1]), np.sort(similarities[same != 1])
    found = len(duplicates) - np.searchsorted(duplicates, similarities, side="right")
    rejected = np.searchsorted(others, similarities, side="right")
    threshold = similarities[np.argmax(found + rejected)]
    similarities, same = (np.asarray(values) for values in test)
    return threshold, np.mean((similarities > threshold) == (same == 1))
