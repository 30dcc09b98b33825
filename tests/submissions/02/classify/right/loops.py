def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        end = min(start + batch_size, len(left))
        a, b = pad_pair(left[start:end], right[start:end])
        for x, y in zip(embed(a), embed(b)):
            cosines.append(float(np.dot(x, y)))
    return cosines


def evaluate(validation, test):
    best, threshold = -1, None
    for candidate in sorted(validation[0].tolist()):
        right = 0
        for similarity, same in zip(*validation):
            right += (similarity > candidate) == bool(same)
        if right > best:
            best, threshold = right, candidate
    right = sum((similarity > threshold) == bool(same) for similarity, same in zip(*test))
    return threshold, right / len(test[0])
