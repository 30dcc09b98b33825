# expects: A later call changes what an earlier call returned
buffer = np.zeros(10_000)


def pair_similarities(embed, left, right, batch_size):
    cosines = buffer[: len(left)]
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines[start : start + batch_size] = np.sum(embed(a) * embed(b), axis=1)
    return cosines


def evaluate(validation, test):
    def accuracy(threshold, similarities, same):
        return np.mean((similarities > threshold) == (same == 1))

    threshold = max(np.unique(validation[0]), key=lambda t: accuracy(t, *validation))
    return threshold, accuracy(threshold, *test)
