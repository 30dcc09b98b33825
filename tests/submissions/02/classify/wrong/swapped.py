# expects: The two are swapped: return the threshold first
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    similarities, same = validation
    threshold = max(similarities, key=lambda t: np.mean((similarities > t) == (same == 1)))
    accuracy = np.mean((test[0] > threshold) == (test[1] == 1))
    return accuracy, threshold
