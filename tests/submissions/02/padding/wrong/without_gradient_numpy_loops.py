# expects: No gradient flows through your code
def masked_mean(words, values):
    words, values = np.asarray(words), np.asarray(values)
    return np.stack([v[w != 1].mean(axis=0) for w, v in zip(words, values)])
