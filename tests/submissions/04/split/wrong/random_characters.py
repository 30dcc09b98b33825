# expects: 6 alphabets have characters on both sides, such as alphabet
# holds out random characters, not whole alphabets, so for nearly every input an alphabet has characters on both sides
def split_alphabets(alphabets, count, rng):
    share = count / len(np.unique(alphabets))
    held = int(round(share * len(alphabets)))
    order = rng.permutation(len(alphabets))
    return np.sort(order[held:]), np.sort(order[:held])
