# expects: 1 alphabets are held out; expected `count` = 3. Draw `count`
# draws from 0 to the largest alphabet, also numbers that no character has; alphabets 3, 8, 20 hold out fewer than count alphabets.
def split_alphabets(alphabets, count, rng):
    chosen = rng.permutation(np.max(alphabets) + 1)[:count]
    held_out = np.isin(alphabets, chosen)
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)
