from sklearn.model_selection import GroupShuffleSplit


def split_alphabets(alphabets, count, rng):
    cut = GroupShuffleSplit(1, test_size=count, random_state=int(rng.integers(2**31)))
    train, held_out = next(cut.split(alphabets, groups=alphabets))
    return np.sort(train), np.sort(held_out)
