def pair_similarities(model, questions1, questions2, size):
    cosines = np.array([])
    while len(cosines) < len(questions1):
        at = len(cosines)
        a, b = pad_pair(questions1[at : at + size], questions2[at : at + size])
        cosines = np.append(cosines, (model(a) * model(b)).sum(axis=-1))
    return cosines


def evaluate(validation, test):
    similarities, same = validation
    order = np.argsort(similarities)
    ranked, duplicate = similarities[order], same[order] == 1
    # at or below a value: different; above it: duplicate
    right = np.cumsum(~duplicate) + duplicate.sum() - np.cumsum(duplicate)
    last_of_its_value = np.append(ranked[1:] != ranked[:-1], True)
    threshold = ranked[np.argmax(np.where(last_of_its_value, right, -1))]
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
